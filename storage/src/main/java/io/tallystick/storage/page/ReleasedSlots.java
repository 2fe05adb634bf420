package io.tallystick.storage.page;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Slots that are free in the savepoint that makes a version, and not taken before its batch is
/// written and nobody reads an older one; and the clearing of slots that are free. For the owner.
final class ReleasedSlots {
  private final SlotSizes sizes;
  private final SlotFile[] files;
  private final FreeMap[] maps;
  private final Deque<Released> released = new ArrayDeque<>();
  private long bytes;

  private record Released(long version, SlotList slots) {}

  ReleasedSlots(SlotSizes sizes, SlotFile[] files, FreeMap[] maps) {
    this.sizes = sizes;
    this.files = files;
    this.maps = maps;
  }

  /// Bytes of the slots that are not taken yet.
  long bytes() {
    return bytes;
  }

  /// @param version in whose rows they are free
  /// @return the first that is free already; -1 if none is
  long add(long version, SlotList slots) {
    for (long address : slots.addresses()) {
      if (!maps[SlotSizes.code(address)].freeLater(SlotSizes.number(address))) {
        return address;
      }
    }
    if (!slots.isEmpty()) {
      released.add(new Released(version, slots));
      bytes += slots.bytes(sizes);
    }
    return -1;
  }

  /// They may be taken from now on.
  ///
  /// @param version whose batch is written, and before which nobody began to read
  void free(long version) {
    while (!released.isEmpty() && released.getFirst().version() <= version) {
      Released oldest = released.removeFirst();
      bytes -= oldest.slots().bytes(sizes);
      for (long address : oldest.slots().addresses()) {
        maps[SlotSizes.code(address)].release(SlotSizes.number(address));
      }
    }
  }

  /// Whether all that were free in a version may be taken.
  boolean isFree(long version) {
    return released.isEmpty() || released.getFirst().version() > version;
  }

  /// Makes free slots zeros, and gives their room back.
  ///
  /// @return the bytes that were cleared
  long clear(long bytesMax) throws IOException {
    long cleared = 0;
    for (int code = 0; code < maps.length; code++) {
      cleared += clear(code, Math.ceilDiv(bytesMax - cleared, sizes.bytes(code)));
    }
    return cleared;
  }

  /// Zeros are forced first: what a block held may outlast its being given back.
  private long clear(int code, long most) throws IOException {
    List<FreeMap.Run> runs = new ArrayList<>();
    long left = most;
    long from = 0;
    while (left > 0) {
      FreeMap.Run run = maps[code].uncleared(from, left);
      if (run == null) {
        break;
      }
      files[code].zero(run.first(), run.count());
      runs.add(run);
      left -= run.count();
      from = run.first() + run.count();
    }
    if (runs.isEmpty()) {
      return 0;
    }
    files[code].force();
    for (FreeMap.Run run : runs) {
      if (run.count() * sizes.bytes(code) >= DiskFile.PAGE_BYTES) { // else no block is whole
        files[code].punch(run.first(), run.count());
      }
      maps[code].clear(run);
    }
    files[code].force();
    return (most - left) * sizes.bytes(code);
  }
}
