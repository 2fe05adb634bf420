package io.tallystick.storage.replicated;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.contract.FramesToErase;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a stream of files goes on in a cluster under the same locations: it is read, claimed,
/// appended to, erased, replaced, copied out again; and nobody claims it before all of it is there.
class StreamImportTest {
  private static final int FRAMES = 12;
  private static final long EPOCH = 7;

  private final TwinCluster cluster = new TwinCluster(3);
  private final TwinCluster.Server server = cluster.server("s1", Steps.NONE, TwinCluster.SMALL);
  private final LocalStreamStore files = Frames.store(new InMemoryDisk());
  private final List<StreamPosition> positions = new ArrayList<>();
  private final ShardClaims claims =
      StreamImport.claims(server.coordination(), cluster.paths(), new SplittableRandom(1));
  private StreamPosition end;

  @BeforeEach
  void write() throws Exception {
    StreamWriter writer = files.openWriter(SHARD, EPOCH, StreamStore.START);
    FramesToErase.write(writer, FRAMES, positions);
    end = writer.end();
  }

  private StreamImport target(StreamId shard) {
    return new StreamImport(
        server.logs(),
        server.coordination(),
        cluster.paths(),
        claims,
        TwinCluster.SMALL,
        new SplittableRandom(2),
        shard);
  }

  private StreamImport put() throws Exception {
    StreamImport target = target(SHARD);
    try (StreamReader stream = files.openReader(SHARD)) {
      target.put(target.claim(EPOCH), stream, _ -> {});
    }
    return target;
  }

  private StreamWriter take() throws Exception {
    ShardClaim claim = server.claims().claim(SHARD);
    return server.store().openWriter(SHARD, claim.epoch(), end);
  }

  private List<Frames.Frame> expected(int erased) {
    return FramesToErase.expected(positions, erased).stream()
        .map(frame ->
            new Frames.Frame(
                frame.position(), EPOCH, frame.infos(), frame.payloads(), frame.notes()))
        .toList();
  }

  @Test
  void everyFrameHasTheLocationThatItHadInItsFile() throws Exception {
    StreamImport _ = put();
    assertThat(Frames.read(server.store(), StreamStore.START)).isEqualTo(expected(0));
    assertThat(Frames.read(server.store(), positions.get(5)))
        .isEqualTo(expected(0).subList(5, FRAMES));
  }

  @Test
  void aServerClaimsItOnceItIsOpenedAndGoesOn() throws Exception {
    StreamImport target = put();
    assertThat(target.isOpen()).isFalse();
    assertThatThrownBy(this::take).isInstanceOf(StreamFencedException.class);
    target.open(1);
    assertThat(target.isOpen()).isTrue();
    StreamWriter writer = take();
    assertThat(writer.epoch()).isGreaterThan(EPOCH);
    assertThat(writer.end().number()).isEqualTo(FRAMES);
    Frames.Frame next = Frames.append(writer, "next", "one");
    List<Frames.Frame> all = new ArrayList<>(expected(0));
    all.add(next);
    assertThat(Frames.read(server.store(), StreamStore.START)).isEqualTo(all);
    TwinCluster.Server other = cluster.server("s2", Steps.NONE, TwinCluster.SMALL);
    assertThat(Frames.read(other.store(), positions.getFirst())).isEqualTo(all);
    assertThatThrownBy(() -> target.claim(EPOCH)).isInstanceOf(ShardNotEmptyException.class);
  }

  @Test
  void itsFramesAreErasedAndItsSegmentsReplaced() throws Exception {
    put().open(1);
    StreamWriter _ = take();
    StreamEraser eraser = server.store().openEraser(SHARD);
    List<ErasedFrame> planned = new ArrayList<>();
    for (int i = 0; i < FRAMES / 2; i++) {
      planned.add(eraser.plan(positions.get(i).frame(), FramesToErase.edits(i)));
    }
    eraser.erase(planned);
    assertThat(Frames.read(server.store(), StreamStore.START)).isEqualTo(expected(FRAMES / 2));
    assertThat(cluster.logs().holds("payload 01;".getBytes(UTF_8))).isFalse();
    while (server.store().upkeep(SHARD).replaceThin()) {}
    assertThat(Frames.read(server.store(), StreamStore.START)).isEqualTo(expected(FRAMES / 2));
  }

  @Test
  void segmentsAreCopiedOutAsTheFilesThatTheyWere() throws Exception {
    StreamImport _ = put();
    assertThat(Copies.of(server.store())).isEqualTo(Copies.of(files));
  }

  @Test
  void whatWasCutShortIsDoneAgain() throws Exception {
    StreamImport target = target(SHARD);
    try (StreamReader stream = files.openReader(SHARD)) {
      StreamImport.Watch dies =
          new StreamImport.Watch() {
            @Override
            public void copied(long bytes) {}

            @Override
            public void listing() throws IOException {
              throw new IOException("dies");
            }
          };
      assertThatThrownBy(() -> target.put(target.claim(EPOCH), stream, dies)).hasMessage("dies");
      assertThat(target.holdsAllOf(stream)).isFalse();
    }
    put().open(1);
    assertThat(take().end().number()).isEqualTo(FRAMES);
    assertThat(Frames.read(server.store(), StreamStore.START)).isEqualTo(expected(0));
  }

  @Test
  void anotherStreamIsRefused() throws Exception {
    StreamImport target = put();
    LocalStreamStore other =
        LocalStreamStore.openDeterministic(
            new InMemoryDisk(), Frames.DIRECTORY, Frames.SMALL, new SplittableRandom(99));
    FramesToErase.write(other.openWriter(SHARD, 1, StreamStore.START), FRAMES, new ArrayList<>());
    try (StreamReader stream = other.openReader(SHARD)) {
      assertThatThrownBy(() -> target.put(target.claim(1), stream, _ -> {}))
          .isInstanceOf(ShardNotEmptyException.class);
    }
    assertThat(Frames.read(server.store(), StreamStore.START)).isEqualTo(expected(0));
  }

  @Test
  void aShardThatAServerHasClaimedIsRefused() throws Exception {
    StreamId claimed = new StreamId(5);
    cluster.found(claimed);
    ShardClaim claim = server.claims().claim(claimed);
    assertThat(claim.epoch()).isEqualTo(1);
    assertThatThrownBy(() -> target(claimed).claim(EPOCH))
        .isInstanceOf(ShardNotEmptyException.class);
  }

  /// Two imports of two directories took the same number at once.
  @Test
  void whoHasLostTheShardIsNotToldThatItIsListed() throws Exception {
    StreamImport target = target(SHARD);
    LocalStreamStore others =
        LocalStreamStore.openDeterministic(
            new InMemoryDisk(), Frames.DIRECTORY, Frames.SMALL, new SplittableRandom(99));
    FramesToErase.write(others.openWriter(SHARD, 1, StreamStore.START), FRAMES, new ArrayList<>());
    List<String> heard = new ArrayList<>();
    StreamImport.Watch watch =
        new StreamImport.Watch() {
          @Override
          public void copied(long bytes) {}

          @Override
          public void listing() {
            heard.add("listing");
          }
        };
    try (StreamReader stream = files.openReader(SHARD);
        StreamReader other = others.openReader(SHARD)) {
      assertThat(target.isOfAnother(stream)).isFalse();
      ShardClaim lost = target.claim(EPOCH);
      target.put(target.claim(EPOCH), other, _ -> {});
      assertThatThrownBy(() -> target(new StreamId(SHARD.shard())).put(lost, stream, watch))
          .isInstanceOf(ShardNotEmptyException.class);
      assertThat(target.isOfAnother(stream)).isTrue();
      assertThat(target.isOfAnother(other)).isFalse();
      target.open(1);
      assertThat(target.isOfAnother(stream)).isTrue();
    }
    StreamImport late = target(new StreamId(4));
    try (StreamReader stream = files.openReader(SHARD)) {
      ShardClaim lost = late.claim(EPOCH);
      ShardClaim _ = late.claim(EPOCH);
      assertThatThrownBy(() -> late.put(lost, stream, watch))
          .isInstanceOf(StreamFencedException.class);
    }
    assertThat(heard).isEmpty();
  }

  @Test
  void whatServersWroteIsOfNoOtherImport() throws Exception {
    put().open(1);
    StreamWriter writer = take();
    Frames.append(writer, "next", "one");
    try (StreamReader stream = files.openReader(SHARD)) {
      assertThat(target(SHARD).isOfAnother(stream)).isFalse();
    }
  }

  @Test
  void placesAreBytes() throws Exception {
    StreamImport _ = put();
    for (ListedSegment each :
        new SegmentTable(server.coordination(), cluster.paths(), SHARD).read(0)) {
      assertThat(each.record().isFile()).isTrue();
      assertThat(SegmentRecord.decode(each.record().encode())).isEqualTo(each.record());
    }
    assertThat(FrameLocations.place(positions.getFirst().frame())).isEqualTo(64);
  }
}
