package io.tallystick.testkit;

import io.tallystick.durable.FileSteps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/// A file system in memory that loses power after a given number of steps. What was not forced is
/// then torn at random, and renames in a directory that was not forced have happened or not.
public final class CrashingFiles implements FileSteps {
  /// One file's bytes as programs see them and as the disk holds them.
  private static final class Content {
    byte[] seen;
    byte[] durable = new byte[0];

    Content(byte[] seen) {
      this.seen = seen;
    }
  }

  private static final int SECTOR_BYTES = 512;

  private final Map<Path, Content> names = new HashMap<>();
  private Map<Path, Content> durableNames = new HashMap<>();
  private final int crashAt;
  private final SplittableRandom random;
  private int steps;

  public CrashingFiles(int crashAt, SplittableRandom random) {
    this.crashAt = crashAt;
    this.random = random;
  }

  public int steps() {
    return steps;
  }

  private void step() throws IOException {
    if (steps++ >= crashAt) {
      throw new IOException("power lost");
    }
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    // The file is truncated and partly written even if this step is the last.
    Content written = names.computeIfAbsent(file, unused -> new Content(new byte[0]));
    written.seen = Arrays.copyOf(content, random.nextInt(content.length + 1));
    step();
    written.seen = content.clone();
  }

  @Override
  public void force(Path file) throws IOException {
    step();
    Content content = named(file);
    content.durable = content.seen;
    durableNames.putIfAbsent(file, content);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step();
    names.put(to, named(from));
    names.remove(from);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    step();
    durableNames = new HashMap<>(names);
  }

  @Override
  public Optional<byte[]> read(Path file) {
    return Optional.ofNullable(names.get(file)).map(content -> content.seen.clone());
  }

  /// A write to an open file reaches the disk in whole sectors, each or not: so it is cut off.
  @Override
  public OpenFile open(Path file) throws IOException {
    Content content = named(file);
    return new OpenFile() {
      @Override
      public byte[] read() {
        return content.seen.clone();
      }

      @Override
      public void write(int position, byte[] part) throws IOException {
        byte[] cutOff = content.seen.clone();
        for (int at = 0; at < part.length; at += SECTOR_BYTES) {
          if (random.nextBoolean()) {
            System.arraycopy(part, at, cutOff, position + at, SECTOR_BYTES);
          }
        }
        byte[] whole = content.seen.clone();
        System.arraycopy(part, 0, whole, position, part.length);
        content.seen = cutOff;
        content.durable = cutOff;
        step();
        content.seen = whole;
        content.durable = whole;
      }

      @Override
      public boolean isStill(Path path) {
        return names.get(path) == content;
      }

      @Override
      public void close() {}
    };
  }

  /// What a program finds after the crash.
  public Optional<byte[]> afterCrash(Path file) {
    Map<Path, Content> survived = random.nextBoolean() ? names : durableNames;
    return Optional.ofNullable(survived.get(file))
        .map(content ->
            Arrays.equals(content.seen, content.durable)
                ? content.durable
                : Arrays.copyOf(content.seen, random.nextInt(content.seen.length + 1)));
  }

  private Content named(Path file) throws IOException {
    Content content = names.get(file);
    if (content == null) {
      throw new IOException("no file " + file);
    }
    return content;
  }
}
