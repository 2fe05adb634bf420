package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;

/// States whose pages are damaged, so that each is filled again when it is written next.
final class DamagedState {
  private static final String FOLDER = "forest/";
  private static final String SUFFIX = ".slots";

  private DamagedState() {}

  /// Changes one bit of each slot.
  ///
  /// @param disk that nobody uses now
  static void damage(InMemoryDisk disk) throws IOException {
    for (String name : disk.names()) {
      if (name.startsWith(FOLDER) && name.endsWith(SUFFIX)) {
        int slot =
            Integer.parseInt(name.substring(FOLDER.length(), name.length() - SUFFIX.length()));
        try (DiskFile slots = disk.open(name)) {
          for (long at = 40; at < slots.size(); at += slot) {
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThat(slots.read(at, one)).isEqualTo(1);
            slots.write(at, ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1)}));
          }
        }
      }
    }
  }
}
