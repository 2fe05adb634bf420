package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.stream.StreamId;
import org.junit.jupiter.api.Test;

/// The bytes of `docs/formats/replicated.md`.
class ReplicatedFormatTest {
  private static final ShardOwner OWNER =
      new ShardOwner(7, "s1", "10.0.0.1:7", 2, 0x0123456789abcdefL);
  private static final Bytes OWNER_BYTES =
      Bytes.fromHex("8601076273316a31302e302e302e313a3702480123456789abcdef");

  private static final SegmentRecord OPEN =
      new SegmentRecord(
          300, 7, 41, 8192, 0, Quorum.FULL, false, false, 131_072, 0x0123456789abcdefL, null, 1);
  private static final Bytes OPEN_BYTES =
      Bytes.fromHex(
          "8c0119012c0718291920000083030302f41a00020000480123456789abcdeff6480000000000000001");

  private static final SegmentRecord CLOSED =
      OPEN.closed(new SegmentRecord.End(9, 1024, 44), true, 2);
  private static final Bytes CLOSED_BYTES =
      Bytes.fromHex(
          "8c0119012c0718291920000083030302f51a00020000480123456789abcdef8309190400182c480000000000000002");

  @Test
  void writesTheBytesOfTheDocument() throws Exception {
    assertThat(OWNER.encode()).isEqualTo(OWNER_BYTES);
    assertThat(ShardOwner.decode(OWNER_BYTES)).isEqualTo(OWNER);
    assertThat(OPEN.encode()).isEqualTo(OPEN_BYTES);
    assertThat(SegmentRecord.decode(OPEN_BYTES)).isEqualTo(OPEN);
    assertThat(CLOSED.encode()).isEqualTo(CLOSED_BYTES);
    assertThat(SegmentRecord.decode(CLOSED_BYTES)).isEqualTo(CLOSED);
    LogLabel label = new LogLabel("main", 3, 7);
    assertThat(label.encode()).isEqualTo(Bytes.fromHex("8401646d61696e0307"));
    assertThat(LogLabel.decode(label.encode())).contains(label);
  }

  @Test
  void namesThePathsOfTheDocument() {
    ClusterPaths paths = new ClusterPaths("main");
    StreamId shard = new StreamId(12);
    assertThat(paths.owner(shard)).isEqualTo("/ts/main/shards/12/owner");
    assertThat(paths.lease(shard)).isEqualTo("/ts/main/shards/12/lease");
    assertThat(paths.segment(shard, 31)).isEqualTo("/ts/main/shards/12/segments/0000001f");
    assertThat(paths.retired(shard, 300)).isEqualTo("/ts/main/shards/12/retired/000000000000012c");
    assertThatThrownBy(() -> new ClusterPaths("a/b")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesEveryCutAndOtherFormats() {
    for (Bytes good : new Bytes[] {OWNER_BYTES, OPEN_BYTES, CLOSED_BYTES}) {
      for (int cut = 0; cut < good.size(); cut++) {
        Bytes part = good.slice(0, cut);
        assertThatThrownBy(() -> decode(good, part)).isInstanceOf(MalformedException.class);
      }
      byte[] newer = good.toArray();
      newer[1] = 3;
      assertThatThrownBy(() -> decode(good, Bytes.wrap(newer)))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("format 3 is unknown");
    }
    assertThat(LogLabel.decode(Bytes.fromHex("8402646d61696e0307"))).isEmpty();
  }

  private static void decode(Bytes good, Bytes bytes) throws MalformedException {
    if (good.equals(OWNER_BYTES)) {
      ShardOwner.decode(bytes);
    } else {
      SegmentRecord.decode(bytes);
    }
  }

  @Test
  void refusesAQuorumThatOneMachineCouldConfirm() {
    assertThatThrownBy(() -> new Quorum(3, 3, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Quorum(3, 2, 3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Quorum(2, 3, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() ->
            SegmentRecord.decode(Bytes.fromHex(OPEN_BYTES.hex().replace("83030302", "83030301"))))
        .isInstanceOf(MalformedException.class);
  }
}
