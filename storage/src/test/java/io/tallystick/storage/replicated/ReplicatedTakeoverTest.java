package io.tallystick.storage.replicated;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static io.tallystick.testkit.contract.Frames.append;
import static io.tallystick.testkit.contract.Frames.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.framing.FrameLocations;
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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Who may write a stream, and what counts, when servers take it from each other.
class ReplicatedTakeoverTest {
  private TwinCluster cluster = new TwinCluster(1);

  @BeforeEach
  void found() throws Exception {
    cluster.found(SHARD);
  }

  private TwinCluster.Server server(String name) {
    return cluster.server(name, Steps.NONE, TwinCluster.SMALL);
  }

  private static StreamWriter take(TwinCluster.Server server) throws Exception {
    ShardClaim claim = server.claims().claim(SHARD);
    return server.store().openWriter(SHARD, claim.epoch(), StreamStore.START);
  }

  private List<ListedSegment> listed() throws Exception {
    return new SegmentTable(server("anyone").coordination(), cluster.paths(), SHARD).read(0);
  }

  private List<Long> listedLogs() throws Exception {
    return listed().stream().map(each -> each.record().log()).toList();
  }

  @Test
  void ofTwoThatClaimOverTheSameOwnerOneWins() throws Exception {
    TwinCluster.Server a = server("a");
    TwinCluster.Server b = server("b");
    ShardClaims.Seen seen = a.claims().owner(SHARD).orElseThrow();
    assertThat(seen.owner().epoch()).isZero();
    ShardClaim won = b.claims().claim(SHARD, seen);
    assertThat(won.epoch()).isEqualTo(1);
    assertThatThrownBy(() -> a.claims().claim(SHARD, seen))
        .isInstanceOf(StreamFencedException.class);
    assertThat(a.claims().owner(SHARD).orElseThrow())
        .isEqualTo(new ShardClaims.Seen(won.owner(), won.version()));
    b.claims().confirm(won);
    assertThat(a.claims().claim(SHARD).epoch()).isEqualTo(2);
    assertThatThrownBy(() -> b.claims().confirm(won)).isInstanceOf(StreamFencedException.class);
    assertThatThrownBy(() -> a.claims().claim(new StreamId(77)))
        .isInstanceOf(StreamFencedException.class)
        .hasMessageContaining("no shard 77");
  }

  @Test
  void softwareThatDoesNotKnowTheStatesClaimsNothing() throws Exception {
    Coordination coordination = server("old").coordination();
    take(server("new"));
    ShardClaims old =
        new ShardClaims(
            coordination,
            cluster.paths(),
            new ShardClaims.Server("old", "old:1", 0),
            new SplittableRandom(1));
    assertThatThrownBy(() -> old.claim(SHARD))
        .isInstanceOf(StreamFencedException.class)
        .hasMessageContaining("format 1");
  }

  @Test
  void aServerThatWasDeposedAddsNothingListsNothingAndDeletesNothing() throws Exception {
    TwinCluster.Server a = server("a");
    StreamWriter old = take(a);
    List<StreamPosition> positions = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      positions.add(append(old, "frame " + i, "p".repeat(700)).position());
    }
    TwinCluster.Server b = server("b");
    b.claims().claim(SHARD);
    List<Long> logs = listedLogs();

    append(old, "nobody has fenced it yet", "");
    assertThatThrownBy(old::roll).isInstanceOf(StreamFencedException.class);
    assertThatThrownBy(() -> old.append(frame("late", "")))
        .isInstanceOf(StreamFencedException.class);
    assertThatThrownBy(() -> a.store().openEraser(SHARD).dropBefore(positions.getLast().frame()))
        .isInstanceOf(StreamFencedException.class);
    assertThat(listedLogs()).isEqualTo(logs);
    assertThat(cluster.logs().allLogs()).containsAll(logs).hasSizeGreaterThan(logs.size());

    long epoch = b.claims().held(SHARD).orElseThrow().epoch();
    StreamWriter taker = b.store().openWriter(SHARD, epoch, positions.get(2));
    assertThat(taker.end().number()).isEqualTo(7);
    assertThat(b.store().upkeep(SHARD).sweep()).as("what the other left").isEqualTo(1);
    assertThat(cluster.logs().allLogs()).isEqualTo(listedLogs());
  }

  @Test
  void aServerThatWasDeposedWhileItTookOverFencesNobody() throws Exception {
    StreamWriter writing = take(server("a"));
    TwinCluster.Server b = server("b");
    long epoch = b.claims().claim(SHARD).epoch();
    server("c").claims().claim(SHARD);
    assertThatThrownBy(() -> b.store().openWriter(SHARD, epoch, StreamStore.START))
        .isInstanceOf(StreamFencedException.class);
    append(writing, "not fenced", "");
    assertThatThrownBy(() -> b.store().openWriter(SHARD, epoch + 1, StreamStore.START))
        .as("it has no such claim")
        .isInstanceOf(StreamFencedException.class)
        .hasMessageContaining("not claimed here");
  }

  /// As if ZooKeeper had been put back to what it was earlier.
  @Test
  void aListThatIsOlderThanTheFramesIsNotGoneOnWith() throws Exception {
    TwinCluster.Server a = server("a");
    take(a);
    take(a);
    append(take(a), "of epoch 3", "");
    ListedSegment last = listed().getLast();
    SegmentRecord now = last.record();
    SegmentRecord old =
        new SegmentRecord(
            now.log(),
            1,
            now.firstFrame(),
            now.bytesBefore(),
            now.generation(),
            now.quorum(),
            now.thin(),
            false,
            now.pieceBytes(),
            now.frames(),
            null,
            1);
    a.coordination()
        .commit(
            List.of(
                new Coordination.Change.Put(
                    cluster.paths().segment(SHARD, last.number()), old.encode(), last.version()),
                new Coordination.Change.Put(
                    cluster.paths().owner(SHARD),
                    ShardOwner.nobody(1).encode(),
                    Coordination.Change.ANY)));
    TwinCluster.Server b = server("b");
    b.claims().claim(SHARD);
    assertThatThrownBy(() -> take(b))
        .isInstanceOf(StreamFencedException.class)
        .hasMessageContaining("epoch 2 is fenced by epoch 3");
    assertThat(listed()).hasSize(3);
  }

  /// Autorecovery closes the log while a frame of some pieces is under way: all of it may be there,
  /// some, or nothing.
  @Test
  void aFrameUnderWayWhenItsLogIsRecoveredIsThereWholeOrNotAtAll() throws Exception {
    int whole = 0;
    int torn = 0;
    for (int seed = 0; seed < 60; seed++) {
      cluster = new TwinCluster(seed);
      found();
      Steps recovery =
          what -> {
            if (what.startsWith("await entry 6 ")) {
              cluster.logs().openLogs().forEach(cluster.logs()::recoverByThirdParty);
            }
          };
      StreamWriter old = take(cluster.server("a", recovery, TwinCluster.SMALL));
      append(old, "first", "p".repeat(600));
      assertThatThrownBy(() -> append(old, "second", "p".repeat(900)))
          .isInstanceOf(StreamFencedException.class);
      assertThatThrownBy(() -> old.append(frame("third", "")))
          .isInstanceOf(StreamFencedException.class);

      TwinCluster.Server b = server("b");
      StreamWriter taker = take(b);
      List<String> there = Frames.infos(b.store());
      assertThat(there).startsWith("first").hasSizeBetween(1, 2);
      assertThat(taker.end().number()).isEqualTo(there.size());
      if (there.size() == 2) {
        assertThat(taker.cut()).isEmpty();
        whole++;
      } else if (taker.cut().isPresent()) {
        assertThat(taker.cut().get().frame()).isEqualTo(1);
        assertThat(taker.cut().get().bytes()).isPositive();
        torn++;
      }
      append(taker, "next", "");
      assertThat(Frames.read(server("c").store(), StreamStore.START))
          .as("whoever reads skips the tail alike")
          .isEqualTo(Frames.read(b.store(), StreamStore.START))
          .hasSize(there.size() + 1);
    }
    assertThat(whole).isPositive();
    assertThat(torn).isPositive();
  }

  @Test
  void anAddWithoutAnswerEndsTheWriterForGood() throws Exception {
    TwinCluster.Server a = server("a");
    StreamWriter writer = take(a);
    append(writer, "one", "");
    cluster.faults(new TwinFaults(1000, 0, 0, 0, 0));
    StreamPosition end = writer.end();
    assertThatThrownBy(() -> append(writer, "two", ""))
        .isInstanceOf(StreamUnavailableException.class);
    cluster.faults(TwinFaults.NONE);
    assertThatThrownBy(() -> writer.append(frame("two", "")))
        .isInstanceOf(StreamUnavailableException.class);
    assertThatThrownBy(writer::roll).isInstanceOf(StreamUnavailableException.class);
    assertThat(Frames.infos(a.store())).containsExactly("one");
    writer.close();
    assertThat(cluster.logs().openLogs()).as("a dead writer closes no log").hasSize(1);
    StreamWriter next = take(a);
    assertThat(next.end().number()).isBetween(end.number(), end.number() + 1);
  }

  @Test
  void withoutAQuorumNothingIsWrittenAndLaterItGoesOn() throws Exception {
    TwinCluster.Server a = server("a");
    StreamWriter writer = take(a);
    append(writer, "one", "");
    cluster.logs().stop(0);
    append(writer, "two machines are enough", "");
    cluster.logs().stop(1);
    assertThatThrownBy(() -> append(writer, "three", ""))
        .isInstanceOf(StreamUnavailableException.class)
        .hasRootCauseInstanceOf(QuorumUnavailableException.class);
    assertThatThrownBy(() -> take(a)).isInstanceOf(StreamUnavailableException.class);
    cluster.logs().start(0);
    StreamWriter next = take(a);
    append(next, "on", "");
    assertThat(Frames.infos(a.store())).startsWith("one", "two machines are enough").endsWith("on");
  }

  @Test
  void whatCannotBeReachedIsUnavailableAndNotDamaged() throws Exception {
    TwinCluster.Server a = server("a");
    append(take(a), "one", "");
    ReplicatedStreamStore other = server("b").store();
    cluster.faults(new TwinFaults(0, 0, 1000, 0, 0));
    assertThatThrownBy(() -> other.openReader(SHARD))
        .isInstanceOf(StreamUnavailableException.class);
    assertThatThrownBy(() -> other.epochOf(SHARD)).isInstanceOf(StreamUnavailableException.class);
    assertThatThrownBy(() -> a.claims().claim(SHARD))
        .isInstanceOf(StreamUnavailableException.class);
    assertThatThrownBy(() -> Frames.infos(a.store()))
        .isInstanceOf(StreamUnavailableException.class);
    cluster.faults(TwinFaults.NONE);
    assertThat(Frames.infos(other)).containsExactly("one");
  }

  @Test
  void aFollowerSeesTheNewestEntryLateAndAllOfAClosedLog() throws Exception {
    StreamWriter writer = take(server("a"));
    cluster.faults(new TwinFaults(0, 0, 0, 0, 1000));
    ReplicatedStreamStore follower = server("b").store();
    append(writer, "one", "");
    assertThat(Frames.infos(follower)).isEmpty();
    append(writer, "two", "");
    assertThat(Frames.infos(follower)).containsExactly("one");
    writer.close();
    assertThat(Frames.infos(follower)).containsExactly("one", "two");
  }

  @Test
  void aReaderOfADeadWriterFollowsTheNext() throws Exception {
    TwinCluster.Server a = server("a");
    StreamWriter old = take(a);
    append(old, "one", "");
    try (StreamReader reader = a.store().openReader(SHARD)) {
      append(take(server("b")), "two", "");
      reader.refresh();
      assertThat(Frames.read(reader, StreamStore.START)).as("it is not dead yet").hasSize(1);
      assertThatThrownBy(() -> append(old, "late", "")).isInstanceOf(StreamFencedException.class);
      assertThat(Frames.infos(a.store())).containsExactly("one", "two");
      reader.refresh();
      assertThat(Frames.read(reader, StreamStore.START))
          .extracting(Frames.Frame::infos)
          .containsExactly("one", "two");
    }
  }

  @Test
  void anOldSegmentIsClosed() throws Exception {
    ReplicatedSettings second = new ReplicatedSettings(1 << 20, 1000, 1000, 256);
    StreamWriter writer = take(cluster.server("a", Steps.NONE, second));
    append(writer, "one", "");
    cluster.pass(999);
    append(writer, "two", "");
    cluster.pass(1);
    assertThat(FrameLocations.segment(append(writer, "three", "").position().frame())).isEqualTo(1);
    assertThat(listed()).extracting(each -> each.record().firstFrame()).containsExactly(0L, 2L);
  }
}
