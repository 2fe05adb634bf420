package io.tallystick.server.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.FramesToErase;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: the copies of segments are those of the stream as it is stored once the rows were saved,
/// whatever was erased or dropped since a segment was copied first. Method: what one copier has
/// after changes in between is what another one copies afterwards.
class SharedSegmentsTest {
  private static final StreamId SHARD = new StreamId(3);
  private static final int FRAMES = 12;

  private final TwinCluster cluster = new TwinCluster(5);
  private final TwinCluster.Server owner = cluster.server("s1", Steps.NONE, TwinCluster.SMALL);
  private final InMemoryDisk disk = new InMemoryDisk();
  private final SegmentFiles files = new SegmentFiles(disk, _ -> {});
  private final SharedSegments segments = copier(files);
  private final List<StreamPosition> positions = new ArrayList<>();
  private StreamWriter writer;

  private SharedSegments copier(SegmentFiles to) {
    return new SharedSegments(
        SHARD, cluster.server("backup", Steps.NONE, TwinCluster.SMALL).store(), to);
  }

  @BeforeEach
  void write() throws Exception {
    cluster.found(SHARD);
    writer =
        owner.store().openWriter(SHARD, owner.claims().claim(SHARD).epoch(), StreamStore.START);
    FramesToErase.write(writer, FRAMES, positions);
  }

  private Map<String, String> content(InMemoryDisk of) throws Exception {
    Map<String, String> all = new TreeMap<>();
    for (String name : of.names()) {
      all.put(name, HexFormat.of().formatHex(of.content(name)));
    }
    return all;
  }

  private void assertSameAsCopiedNow() throws Exception {
    InMemoryDisk now = new InMemoryDisk();
    SegmentFiles its = new SegmentFiles(now, _ -> {});
    SharedSegments fresh = copier(its);
    fresh.copyClosed();
    fresh.copyTo(writer.end());
    assertThat(content(disk)).isEqualTo(content(now)).hasSizeGreaterThan(1);
    assertThat(files.parts()).isEqualTo(its.parts());
    assertThat(files.places().first()).isEqualTo(its.places().first());
    assertThat(files.places().next()).isEqualTo(its.places().next()).isEqualTo(FRAMES);
    for (long i = files.places().first(); i < FRAMES; i++) {
      assertThat(files.places().of(i, 0)).isEqualTo(its.places().of(i, 0));
    }
  }

  private void erase(int from, int to) throws Exception {
    try (StreamEraser eraser = owner.store().openEraser(SHARD)) {
      List<ErasedFrame> planned = new ArrayList<>();
      for (int i = from; i < to; i++) {
        planned.add(eraser.plan(positions.get(i).frame(), FramesToErase.edits(i)));
      }
      eraser.erase(planned);
    }
  }

  @Test
  void whatWasErasedIsCopiedAgain() throws Exception {
    segments.copyClosed();
    erase(1, 2);
    segments.copyTo(writer.end());
    assertSameAsCopiedNow();
    erase(3, 6);
    segments.copyTo(writer.end());
    assertSameAsCopiedNow();
  }

  @Test
  void whatWasDroppedGoes() throws Exception {
    segments.copyClosed();
    int copied = disk.names().size();
    try (StreamEraser eraser = owner.store().openEraser(SHARD)) {
      eraser.dropBefore(positions.get(7).frame());
    }
    segments.copyTo(writer.end());
    assertSameAsCopiedNow();
    assertThat(disk.names().size()).isLessThan(copied);
    assertThat(files.places().first()).isPositive();
    try (StreamEraser eraser = owner.store().openEraser(SHARD)) {
      eraser.dropBefore(writer.end().frame());
    }
    segments.copyTo(writer.end());
    assertThat(disk.names()).hasSize(1);
  }

  @Test
  void nothingIsCopiedTwiceThatStaysAsItIs() throws Exception {
    long[] moved = {0};
    SegmentFiles counted = new SegmentFiles(new InMemoryDisk(), bytes -> moved[0] += bytes);
    SharedSegments its = copier(counted);
    its.copyClosed();
    long closed = moved[0];
    its.copyTo(writer.end());
    assertThat(moved[0] - closed).isLessThan(closed);
  }
}
