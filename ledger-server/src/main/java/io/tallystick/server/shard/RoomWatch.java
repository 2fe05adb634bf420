package io.tallystick.server.shard;

import java.util.Locale;
import java.util.function.Consumer;

/// Tells the operator when appends begin to be refused as `storage_full`, and when they go on. One
/// owner thread.
final class RoomWatch {
  private final int shard;
  private final long freeBytesMin;
  private final Consumer<String> tell;
  private boolean told;
  private boolean writeFailed;

  /// @param freeBytesMin below which appends are refused
  /// @param tell logs a line
  RoomWatch(int shard, long freeBytesMin, Consumer<String> tell) {
    this.shard = shard;
    this.freeBytesMin = freeBytesMin;
    this.tell = tell;
  }

  void isFree(long bytes) {
    if (bytes < freeBytesMin) {
      begins(String.format(Locale.ROOT, "%d bytes are free, %d are needed", bytes, freeBytesMin));
    } else if (!writeFailed) {
      ends();
    }
  }

  /// A frame found no room, whatever the disk says is free.
  void isFull(String why) {
    writeFailed = true;
    begins(why);
  }

  /// A frame found room.
  void isWritten() {
    if (writeFailed) {
      writeFailed = false;
      ends();
    }
  }

  private void begins(String why) {
    if (!told) {
      told = true;
      tell.accept(
          String.format(Locale.ROOT, "shard %d refuses appends as storage_full: %s", shard, why));
    }
  }

  private void ends() {
    if (told) {
      told = false;
      tell.accept(String.format(Locale.ROOT, "shard %d has room again: appends go on", shard));
    }
  }
}
