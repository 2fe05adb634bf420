package io.tallystick.gpu.ptx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;

/// The objects of one state space, by rising address, with gaps between them. An access must lie in
/// one object. Bytes are in little-endian order, as on a device.
final class Memory {
  /// Bytes between two objects, so that an access beyond an object never falls into the next one.
  static final int GAP_BYTES = 64;

  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Space space;
  private long[] bases = new long[4];
  private MemorySegment[] objects = new MemorySegment[4];
  private int count;
  private int last;

  Memory(Space space) {
    this.space = space;
  }

  /// Adds an object at `base`, which lies above all the others.
  void add(long base, MemorySegment object) {
    if (count > 0 && base < end(count - 1)) {
      throw new IllegalArgumentException("objects overlap at 0x" + Long.toHexString(base));
    }
    if (count == bases.length) {
      bases = Arrays.copyOf(bases, 2 * count);
      objects = Arrays.copyOf(objects, 2 * count);
    }
    bases[count] = base;
    objects[count++] = object;
  }

  private long end(int index) {
    return bases[index] + objects[index].byteSize();
  }

  /// Keeps the first `kept` objects.
  void truncate(int kept) {
    count = kept;
    last = 0;
  }

  int count() {
    return count;
  }

  MemorySegment object(int index) {
    return objects[index];
  }

  /// The object that begins at `base`.
  MemorySegment objectAt(long base) {
    int index = Arrays.binarySearch(bases, 0, count, base);
    if (index < 0) {
      throw new IllegalArgumentException("no object at 0x" + Long.toHexString(base));
    }
    return objects[index];
  }

  private OptionalInt find(long address, int bytes) {
    int index = Arrays.binarySearch(bases, 0, count, address);
    int candidate = index < 0 ? -index - 2 : index;
    boolean inside = candidate >= 0 && isInside(candidate, address, bytes);
    return inside ? OptionalInt.of(candidate) : OptionalInt.empty();
  }

  private boolean isInside(int index, long address, int bytes) {
    return address >= bases[index] && address - bases[index] <= objects[index].byteSize() - bytes;
  }

  /// The index of the object that holds an access; faults when none does or it is misaligned.
  private int locate(ThreadState thread, long address, int bytes) {
    if (last < count && isInside(last, address, bytes)) {
      return last;
    }
    OptionalInt found = find(address, bytes);
    if (found.isEmpty()) {
      throw thread.fault(Fault.OUT_OF_BOUNDS, access(address, bytes) + " is outside every object");
    }
    last = found.getAsInt();
    return last;
  }

  /// @param bytes of the whole access, all elements of a vector together: a power of two
  void checkAlignment(ThreadState thread, long address, int bytes) {
    if ((address & (bytes - 1)) != 0) {
      throw thread.fault(Fault.MISALIGNED, access(address, bytes) + " is misaligned");
    }
  }

  private String access(long address, int bytes) {
    return String.format(Locale.ROOT, "%s access of %d bytes at 0x%x", space, bytes, address);
  }

  /// Faults when no object holds the whole access.
  void check(ThreadState thread, long address, int bytes) {
    locate(thread, address, bytes);
  }

  /// The value, zero-extended.
  long load(ThreadState thread, long address, int bytes) {
    int index = locate(thread, address, bytes);
    MemorySegment object = objects[index];
    long offset = address - bases[index];
    return switch (bytes) {
      case 1 -> Byte.toUnsignedLong(object.get(ValueLayout.JAVA_BYTE, offset));
      case 2 -> Short.toUnsignedLong(object.get(U16, offset));
      case 4 -> Integer.toUnsignedLong(object.get(U32, offset));
      case 8 -> object.get(U64, offset);
      default -> throw new IllegalArgumentException("no access of " + bytes + " bytes");
    };
  }

  /// Writes the low `bytes` bytes of `value`.
  void store(ThreadState thread, long address, int bytes, long value) {
    if (space == Space.CONST) {
      throw thread.fault(Fault.READ_ONLY, access(address, bytes) + " writes constant memory");
    }
    int index = locate(thread, address, bytes);
    MemorySegment object = objects[index];
    long offset = address - bases[index];
    switch (bytes) {
      case 1 -> object.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
      case 2 -> object.set(U16, offset, (short) value);
      case 4 -> object.set(U32, offset, (int) value);
      case 8 -> object.set(U64, offset, value);
      default -> throw new IllegalArgumentException("no access of " + bytes + " bytes");
    }
  }
}
