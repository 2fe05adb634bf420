package io.tallystick.storage.replicated;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.cluster.TwinFaults;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.FramesToErase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What an owner does to the closed segments of its stream, and who sees it.
class ReplicatedUpkeepTest {
  private static final int FRAMES = 6;

  private final TwinCluster cluster = new TwinCluster(2);
  private final List<StreamPosition> positions = new ArrayList<>();
  private final TwinCluster.Server owner = server("owner");
  private StreamWriter writer;

  ReplicatedUpkeepTest() throws Exception {
    cluster.found(SHARD);
    writer = take(owner);
  }

  @BeforeEach
  void write() throws Exception {
    FramesToErase.write(writer, FRAMES, positions);
  }

  private TwinCluster.Server server(String name) {
    return cluster.server(name, Steps.NONE, TwinCluster.SMALL);
  }

  private StreamWriter take(TwinCluster.Server server) throws Exception {
    ShardClaim claim = server.claims().claim(SHARD);
    StreamPosition from = positions.isEmpty() ? StreamStore.START : positions.getLast();
    return server.store().openWriter(SHARD, claim.epoch(), from);
  }

  private List<ListedSegment> listed() throws Exception {
    return new SegmentTable(owner.coordination(), cluster.paths(), SHARD).read(0);
  }

  private List<Long> listedLogs() throws Exception {
    return listed().stream().map(each -> each.record().log()).toList();
  }

  private static byte[] payload(int frame) {
    return ("payload 0" + frame + ";").getBytes(UTF_8);
  }

  private ErasedFrame planned(StreamEraser eraser, int frame) throws Exception {
    return eraser.plan(positions.get(frame).frame(), FramesToErase.edits(frame));
  }

  @Test
  void whatIsErasedIsInNoLogAnyMore() throws Exception {
    StreamEraser eraser = owner.store().openEraser(SHARD);
    assertThat(cluster.logs().holds(payload(1))).isTrue();
    eraser.erase(List.of(planned(eraser, 1)));
    assertThat(cluster.logs().holds(payload(1))).isFalse();
    assertThat(cluster.logs().holds(payload(2))).isTrue();
    assertThat(cluster.logs().allLogs()).containsExactlyInAnyOrderElementsOf(listedLogs());
    assertThat(listed()).extracting(each -> each.record().generation()).startsWith(1, 0);
    assertThat(owner.coordination().children(cluster.paths().retired(SHARD))).isEmpty();

    List<Long> logs = listedLogs();
    eraser.erase(List.of(planned(eraser, 1)));
    assertThat(listedLogs()).as("there is nothing to do").isEqualTo(logs);
  }

  @Test
  void theSegmentThatIsWrittenIsClosedBeforeItIsReplaced() throws Exception {
    writer.roll();
    StreamPosition at = Frames.append(writer, "infos", "erase me").position();
    Frames.Frame newest = Frames.append(writer, "newest", "stays");
    int segments = listed().size();
    StreamEraser eraser = owner.store().openEraser(SHARD);
    FrameEdits all = FrameEdits.zeros(List.of(new FrameEdits.Range(64 + 5, 8)));
    eraser.erase(List.of(eraser.plan(at.frame(), all)));
    assertThat(listed()).hasSize(segments + 1);
    assertThat(cluster.logs().holds("erase me".getBytes(UTF_8))).isFalse();
    Frames.Frame next = Frames.append(writer, "next", "");
    assertThat(Frames.read(owner.store(), newest.position())).containsExactly(newest, next);
  }

  /// Another process holds a reader of the log that goes.
  @Test
  void aReaderElsewhereFindsTheNewLogByItself() throws Exception {
    ReplicatedStreamStore elsewhere = server("b").store();
    StreamReader reader = elsewhere.openReader(SHARD);
    assertThat(Frames.read(reader, StreamStore.START))
        .isEqualTo(FramesToErase.expected(positions, 0));
    StreamEraser eraser = owner.store().openEraser(SHARD);
    List<ErasedFrame> planned = new ArrayList<>();
    for (int i = 0; i < FRAMES - 1; i++) {
      planned.add(planned(eraser, i));
    }
    eraser.erase(planned);
    assertThat(Frames.read(reader, StreamStore.START))
        .isEqualTo(FramesToErase.expected(positions, FRAMES - 1));
    reader.refresh();
    assertThat(Frames.read(reader, StreamStore.START))
        .isEqualTo(FramesToErase.expected(positions, FRAMES - 1));
  }

  @Test
  void aDeposedOwnerReplacesAndDropsNothing() throws Exception {
    StreamEraser eraser = owner.store().openEraser(SHARD);
    ErasedFrame planned = planned(eraser, 1);
    TwinCluster.Server b = server("b");
    b.claims().claim(SHARD);
    List<Long> logs = listedLogs();
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .isInstanceOf(StreamFencedException.class);
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .as("it is dead")
        .isInstanceOf(StreamUnavailableException.class);
    assertThat(listedLogs()).isEqualTo(logs);
    assertThat(cluster.logs().allLogs()).containsAll(logs);
    assertThat(Frames.read(server("c").store(), StreamStore.START))
        .isEqualTo(FramesToErase.expected(positions, 0));
  }

  @Test
  void aFrameThatIsDamagedIsNotStampedAnewAndItsCopyGoes() throws Exception {
    StreamEraser eraser = owner.store().openEraser(SHARD);
    ErasedFrame planned = planned(eraser, 1);
    SegmentRecord first = listed().getFirst().record();
    int piece = first.pieceBytes();
    int notes = FramesToErase.notesOffset(1);
    long entry = FrameLocations.place(positions.get(1).frame()) + notes / piece;
    cluster.logs().damage(first.log(), (int) entry, notes % piece);
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .isInstanceOf(CorruptStreamException.class);
    assertThat(listed().getFirst().record()).isEqualTo(first);
    assertThat(cluster.logs().allLogs()).containsExactlyInAnyOrderElementsOf(listedLogs());
    Frames.append(writer, "nothing is wrong with the writer", "");
  }

  /// It may be left over with what is erased later; only a sweep under a new claim finds it.
  @Test
  void aCopyOfWhichNothingIsKnownEndsTheWriterToo() throws Exception {
    StreamEraser eraser = owner.store().openEraser(SHARD);
    ErasedFrame planned = planned(eraser, 1);
    cluster.logs().faults(new TwinFaults(0, 1000, 0, 0, 0));
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .isInstanceOf(StreamUnavailableException.class);
    cluster.logs().faults(TwinFaults.NONE);
    assertThatThrownBy(() -> Frames.append(writer, "next", ""))
        .isInstanceOf(StreamUnavailableException.class);
    assertThat(cluster.logs().allLogs()).hasSize(listedLogs().size() + 1);
    take(owner);
    assertThat(owner.store().upkeep(SHARD).sweep()).isEqualTo(1);
    owner.store().openEraser(SHARD).erase(List.of(planned));
    assertThat(cluster.logs().holds(payload(1))).isFalse();
  }

  @Test
  void withTooFewMachinesForACopyTheWriterGoesOn() throws Exception {
    StreamEraser eraser = owner.store().openEraser(SHARD);
    ErasedFrame planned = planned(eraser, 1);
    cluster.logs().stop(0);
    cluster.logs().stop(1);
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .isInstanceOf(StreamUnavailableException.class);
    cluster.logs().start(0);
    Frames.append(writer, "next", "");
    owner.store().openEraser(SHARD).erase(List.of(planned));
    assertThat(cluster.logs().holds(payload(1))).isFalse();
    assertThat(listed()).filteredOn(each -> each.record().thin()).isNotEmpty();
  }

  @Test
  void thinSegmentsAreRolledAndReplacedWhenTheThirdMachineIsBack() throws Exception {
    cluster.logs().stop(2);
    writer.roll();
    Frames.Frame thin = Frames.append(writer, "thin", "");
    assertThat(listed().getLast().record().quorum()).isEqualTo(Quorum.THIN);
    assertThat(owner.store().upkeep(SHARD).replaceThin()).as("too few machines").isFalse();
    cluster.logs().start(2);
    Frames.Frame early = Frames.append(writer, "too early", "");
    cluster.pass(TwinCluster.SMALL.thinMillis());
    Frames.Frame full = Frames.append(writer, "full", "");
    assertThat(listed().getLast().record())
        .returns(Quorum.FULL, SegmentRecord::quorum)
        .returns(false, SegmentRecord::thin);
    assertThat(listed()).filteredOn(each -> each.record().thin()).hasSize(1);
    assertThat(owner.store().upkeep(SHARD).replaceThin()).isTrue();
    assertThat(owner.store().upkeep(SHARD).replaceThin()).isFalse();
    assertThat(listed()).noneMatch(each -> each.record().thin());
    assertThat(listed()).allMatch(each -> each.record().quorum().equals(Quorum.FULL));
    assertThat(cluster.logs().allLogs()).containsExactlyInAnyOrderElementsOf(listedLogs());
    assertThat(Frames.read(server("b").store(), thin.position()))
        .containsExactly(thin, early, full);
  }

  @Test
  void aSegmentWrittenWhileAMachineWasDownIsThinToo() throws Exception {
    writer.roll();
    cluster.logs().stop(1);
    Frames.append(writer, "two copies", "");
    cluster.logs().start(1);
    writer.roll();
    assertThat(listed()).filteredOn(each -> each.record().thin()).hasSize(1);
    cluster.logs().stop(0);
    take(server("b"));
    assertThat(listed())
        .as("nobody knows what the writer before saw")
        .filteredOn(each -> each.record().thin())
        .hasSize(3);
  }

  @Test
  void aTakerDoesNotKnowWhoWasDownBefore() throws Exception {
    writer.roll();
    cluster.logs().stop(1);
    Frames.append(writer, "two copies", "");
    cluster.logs().start(1);
    TwinCluster.Server taker = server("b");
    take(taker);
    ListedSegment closed = listed().get(listed().size() - 2);
    assertThat(closed.record().thin()).isTrue();
    assertThat(listed().getLast().record().thin()).isFalse();
    assertThat(taker.store().upkeep(SHARD).replaceThin()).isTrue();
    assertThat(listed()).noneMatch(each -> each.record().thin());
    take(server("c"));
    assertThat(listed()).as("nothing was written").noneMatch(each -> each.record().thin());
  }

  @Test
  void theSweepTakesWhatEarlierOwnersLeftAndNothingElse() throws Exception {
    StreamId other = new StreamId(9);
    cluster.found(other);
    ShardClaim elsewhere = owner.claims().claim(other);
    owner.store().openWriter(other, elsewhere.epoch(), StreamStore.START);
    ReplicatedLogs logs = server("b").logs();
    long left = logs.create(Quorum.FULL, label("twins", SHARD, 1)).log();
    take(owner);
    long own = logs.create(Quorum.FULL, label("twins", SHARD, 2)).log();
    long later = logs.create(Quorum.FULL, label("twins", SHARD, 3)).log();
    long shard = logs.create(Quorum.FULL, label("twins", other, 0)).log();
    long stranger = logs.create(Quorum.FULL, label("others", SHARD, 0)).log();
    long unknown = logs.create(Quorum.FULL, Bytes.utf8("what is this")).log();
    assertThat(owner.store().upkeep(SHARD).sweep()).isEqualTo(1);
    assertThat(cluster.logs().allLogs())
        .doesNotContain(left)
        .contains(own, later, shard, stranger, unknown)
        .containsAll(listedLogs());
    assertThat(Frames.read(owner.store(), StreamStore.START))
        .isEqualTo(FramesToErase.expected(positions, 0));
  }

  private static Bytes label(String cluster, StreamId shard, long epoch) {
    return new LogLabel(cluster, shard.shard(), epoch).encode();
  }

  /// The owner dies between the change and the deletion.
  @Test
  void aRetiredLogIsDeletedByTheNextOwner() throws Exception {
    Steps deaf =
        what -> {
          if (what.startsWith("delete log")) {
            throw new Death.DiedException(what);
          }
        };
    TwinCluster.Server dying = cluster.server("dying", deaf, TwinCluster.SMALL);
    take(dying);
    StreamEraser eraser = dying.store().openEraser(SHARD);
    ErasedFrame planned = planned(eraser, 1);
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .isInstanceOf(Death.DiedException.class);
    assertThat(cluster.logs().holds(payload(1))).isTrue();
    assertThat(owner.coordination().children(cluster.paths().retired(SHARD))).hasSize(1);

    take(owner);
    assertThat(owner.store().upkeep(SHARD).deleteRetired())
        .isEqualTo(new SegmentUpkeep.Retired(1, List.of()));
    assertThat(owner.store().upkeep(SHARD).deleteRetired())
        .isEqualTo(new SegmentUpkeep.Retired(0, List.of()));
    assertThat(cluster.logs().holds(payload(1))).isFalse();
    assertThat(cluster.logs().allLogs()).containsExactlyInAnyOrderElementsOf(listedLogs());
  }

  /// Goal: who can write to ZooKeeper and is no owner has nothing deleted by one. Method: a listed
  /// log and those of others stand as retired, beside one that is left over.
  @Test
  void whatNoOwnerRetiredIsKept() throws Exception {
    ReplicatedLogs logs = server("b").logs();
    long left = logs.create(Quorum.FULL, label("twins", SHARD, 0)).log();
    long otherShard = logs.create(Quorum.FULL, label("twins", new StreamId(9), 0)).log();
    long savepoint = logs.create(Quorum.FULL, Bytes.utf8("a savepoint")).log();
    long segment = listedLogs().getFirst();
    for (long log : List.of(segment, left, otherShard, savepoint)) {
      Coordination.Change retired =
          new Coordination.Change.Create(
              cluster.paths().retired(SHARD, log), Bytes.utf8("?"), false);
      owner.coordination().commit(List.of(retired));
    }
    SegmentUpkeep.Retired retired = owner.store().upkeep(SHARD).deleteRetired();
    assertThat(retired.deleted()).isEqualTo(1);
    assertThat(retired.refused()).containsExactlyInAnyOrder(segment, otherShard, savepoint);
    assertThat(cluster.logs().allLogs())
        .doesNotContain(left)
        .contains(otherShard, savepoint)
        .containsAll(listedLogs());
    assertThat(Frames.read(owner.store(), StreamStore.START))
        .isEqualTo(FramesToErase.expected(positions, 0));
  }
}
