package io.tallystick.gpu.ptx;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// The parameters of a launch, in order. Each must have the size that the kernel declares.
public final class Arguments {
  private final List<MemorySegment> values = new ArrayList<>();

  public Arguments() {}

  private Arguments add(long value, int bytes) {
    byte[] littleEndian = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      littleEndian[i] = (byte) (value >>> (8 * i));
    }
    return structure(littleEndian);
  }

  public Arguments u8(int value) {
    return add(value, 1);
  }

  public Arguments u16(int value) {
    return add(value, 2);
  }

  public Arguments u32(int value) {
    return add(value, 4);
  }

  /// Also an address.
  public Arguments u64(long value) {
    return add(value, 8);
  }

  /// A parameter passed by value, as its bytes in memory.
  public Arguments structure(byte[] bytes) {
    values.add(MemorySegment.ofArray(bytes.clone()));
    return this;
  }

  void check(PtxFunction kernel) {
    List<Long> sizes = values.stream().map(MemorySegment::byteSize).toList();
    List<Long> wanted = kernel.parameters().stream().map(Variable::bytes).toList();
    if (!sizes.equals(wanted)) {
      throw new IllegalArgumentException(
          kernel.name() + ": parameters of " + sizes + " bytes, want " + wanted);
    }
  }

  void copyTo(PtxFunction kernel, Memory memory) {
    for (int i = 0; i < values.size(); i++) {
      memory.object(kernel.parameters().get(i).index()).copyFrom(values.get(i));
    }
  }
}
