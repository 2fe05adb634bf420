package io.tallystick.testkit.fault;

import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// A file as the operating system sees it and as the disk has it. Guarded by its {@link
/// CrashingDisk}.
final class Inode {
  /// The unit a disk writes atomically.
  private static final int SECTOR_BYTES = 512;

  /// A change that is not forced yet.
  private sealed interface Change {
    record Write(long position, Bytes bytes) implements Change {}

    record Truncate(long size) implements Change {}
  }

  private final FileBytes durable;

  /// The very same until the first change.
  private FileBytes visible;

  private final List<Change> unforced = new ArrayList<>();

  Inode() {
    this(new FileBytes());
  }

  Inode(FileBytes content) {
    this.durable = content.copy();
    this.visible = durable;
  }

  FileBytes visible() {
    return visible;
  }

  /// Takes `bytes` over.
  void write(long position, byte[] bytes) {
    change(new Change.Write(position, Bytes.wrap(bytes)));
  }

  void truncate(long size) {
    change(new Change.Truncate(size));
  }

  private void change(Change change) {
    if (visible == durable) {
      visible = durable.copy();
    }
    apply(change, visible);
    unforced.add(change);
  }

  void force() {
    for (Change change : unforced) {
      apply(change, durable);
    }
    unforced.clear();
  }

  /// Some of the unforced reaches the disk; the rest is forgotten, though still readable.
  void failForce(SplittableRandom random) {
    applySome(durable, Survival.draw(random), random);
    unforced.clear();
  }

  /// What is on the disk after a crash now.
  FileBytes afterCrash(Survival survival, SplittableRandom random) {
    FileBytes survivor = durable.copy();
    applySome(survivor, survival, random);
    return survivor;
  }

  private void applySome(FileBytes onto, Survival survival, SplittableRandom random) {
    for (Change change : unforced) {
      switch (survival.next(random)) {
        case WHOLE -> apply(change, onto);
        case PART -> applyPart(change, onto, random);
        case LOST -> {}
      }
    }
  }

  private static void apply(Change change, FileBytes onto) {
    switch (change) {
      case Change.Write(long position, Bytes bytes) -> onto.write(position, bytes.unsafeArray());
      case Change.Truncate(long size) -> onto.truncate(size);
    }
  }

  private static void applyPart(Change change, FileBytes onto, SplittableRandom random) {
    if (change instanceof Change.Write(long position, Bytes bytes)) {
      writeSectors(position, bytes.unsafeArray(), onto, random);
    } else if (random.nextBoolean()) {
      apply(change, onto);
    }
  }

  /// Each sector survives or not, in no order.
  private static void writeSectors(
      long position, byte[] bytes, FileBytes onto, SplittableRandom random) {
    int start = 0;
    while (start < bytes.length) {
      int room = (int) (SECTOR_BYTES - (position + start) % SECTOR_BYTES);
      int end = Math.min(bytes.length, start + room);
      if (random.nextBoolean()) {
        onto.write(position + start, Arrays.copyOfRange(bytes, start, end));
      }
      start = end;
    }
  }
}
