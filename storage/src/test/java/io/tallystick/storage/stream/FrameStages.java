package io.tallystick.storage.stream;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.SectionBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// What does assembling a frame cost, its checksums included, on one thread? `StageBudget` in
/// benchmarks runs it and divides by the journals. The frames hold as many bytes as those of the
/// test kit's shapes do.
@State(Scope.Thread)
@NullUnmarked
public class FrameStages {
  private static final int BATCH_INFO_BYTES = 130_336;
  private static final int BATCH_PAYLOAD_BYTES = 324_000;
  private static final int SINGLES_INFO_BYTES = 118_104;
  private static final int SINGLES_PAYLOAD_BYTES = 82_944;

  @Param({"BATCH", "SINGLES"})
  public String shape;

  private final FrameBuffer frame = new FrameBuffer();
  private Path directory;
  private Disk disk;
  private NoDisk appender;

  public FrameStages() {}

  @Setup
  public void open() throws IOException {
    boolean batch = shape.equals("BATCH");
    fill(frame.infos(), batch ? BATCH_INFO_BYTES : SINGLES_INFO_BYTES);
    fill(frame.payloads(), batch ? BATCH_PAYLOAD_BYTES : SINGLES_PAYLOAD_BYTES);
    directory = Files.createTempDirectory("frame-stages");
    disk = LocalDisk.open(directory);
    appender = new NoDisk(disk);
  }

  private static void fill(SectionBuffer section, int count) {
    byte[] bytes = new byte[count];
    new SplittableRandom(1).nextBytes(bytes);
    section.put(bytes, 0, count);
  }

  @Benchmark
  public void assembleFrame() throws IOException {
    appender.append(frame);
  }

  @TearDown
  public void close() throws IOException {
    disk.close();
    Files.delete(directory);
  }
}
