package io.tallystick.testkit.fault;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/// The bytes of one file, apart from its name. Thread-safe.
final class FileBytes {
  private byte[] bytes = new byte[0];
  private int size;

  FileBytes() {}

  synchronized FileBytes copy() {
    FileBytes copy = new FileBytes();
    copy.bytes = toArray();
    copy.size = size;
    return copy;
  }

  synchronized byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }

  synchronized long size() {
    return size;
  }

  synchronized int read(long position, ByteBuffer into) {
    int count = Math.clamp(size - position, 0, into.remaining());
    if (count > 0) {
      into.put(bytes, (int) position, count);
    }
    return count;
  }

  synchronized void write(long position, byte[] from) {
    grow(position + from.length);
    System.arraycopy(from, 0, bytes, (int) position, from.length);
  }

  synchronized void truncate(long newSize) {
    if (newSize < size) {
      Arrays.fill(bytes, (int) newSize, size, (byte) 0);
      size = (int) newSize;
    }
  }

  /// Zeros up to `newSize`, if the file is shorter.
  synchronized void grow(long newSize) {
    int wanted = Math.toIntExact(newSize);
    if (wanted > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(wanted, 2 * bytes.length));
    }
    size = Math.max(size, wanted);
  }

  synchronized void flipBit(long position, int bit) {
    bytes[Objects.checkIndex((int) position, size)] ^= (byte) (1 << Objects.checkIndex(bit, 8));
  }
}
