package io.tallystick.testkit.fault;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/// The bytes of one file, apart from its name. In pages that copies share until one of them writes
/// there, so that a copy costs next to nothing whatever the size. Thread-safe.
final class FileBytes {
  private static final int PAGE_BYTES = 4096;
  private static final byte[] ZEROS = new byte[PAGE_BYTES];

  /// Zeros beyond {@link #size}.
  private byte[][] pages = new byte[0][];

  /// Whether a page is this file's alone, and may be written to.
  private boolean[] own = new boolean[0];

  private int size;

  FileBytes() {}

  synchronized FileBytes copy() {
    FileBytes copy = new FileBytes();
    Arrays.fill(own, false);
    copy.pages = pages.clone();
    copy.own = new boolean[own.length];
    copy.size = size;
    return copy;
  }

  synchronized byte[] toArray() {
    byte[] bytes = new byte[size];
    read(0, ByteBuffer.wrap(bytes));
    return bytes;
  }

  synchronized long size() {
    return size;
  }

  synchronized int read(long position, ByteBuffer into) {
    int count = Math.clamp(size - position, 0, into.remaining());
    int done = 0;
    while (done < count) {
      int at = (int) position + done;
      int part = Math.min(count - done, PAGE_BYTES - at % PAGE_BYTES);
      into.put(pages[at / PAGE_BYTES], at % PAGE_BYTES, part);
      done += part;
    }
    return count;
  }

  synchronized void write(long position, byte[] from) {
    grow(position + from.length);
    int done = 0;
    while (done < from.length) {
      int at = (int) position + done;
      int part = Math.min(from.length - done, PAGE_BYTES - at % PAGE_BYTES);
      System.arraycopy(from, done, ownPage(at / PAGE_BYTES), at % PAGE_BYTES, part);
      done += part;
    }
  }

  synchronized void truncate(long newSize) {
    if (newSize < size) {
      int first = (int) newSize;
      if (first % PAGE_BYTES != 0) {
        Arrays.fill(ownPage(first / PAGE_BYTES), first % PAGE_BYTES, PAGE_BYTES, (byte) 0);
      }
      for (int page = pagesFor(first); page < pages.length; page++) {
        pages[page] = ZEROS;
        own[page] = false;
      }
      size = first;
    }
  }

  /// Zeros up to `newSize`, if the file is shorter.
  synchronized void grow(long newSize) {
    int wanted = Math.toIntExact(newSize);
    int had = pages.length;
    if (pagesFor(wanted) > had) {
      int count = Math.max(pagesFor(wanted), had + had / 2);
      pages = Arrays.copyOf(pages, count);
      Arrays.fill(pages, had, count, ZEROS);
      own = Arrays.copyOf(own, count);
    }
    size = Math.max(size, wanted);
  }

  synchronized void flipBit(long position, int bit) {
    int at = Objects.checkIndex((int) position, size);
    ownPage(at / PAGE_BYTES)[at % PAGE_BYTES] ^= (byte) (1 << Objects.checkIndex(bit, 8));
  }

  private byte[] ownPage(int page) {
    if (!own[page]) {
      pages[page] = pages[page].clone();
      own[page] = true;
    }
    return pages[page];
  }

  private static int pagesFor(int bytes) {
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  }
}
