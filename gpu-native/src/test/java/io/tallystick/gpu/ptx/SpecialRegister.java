package io.tallystick.gpu.ptx;

import java.util.Optional;

/// The read-only registers of a thread (PTX ISA section 10), each of 32 bits. Launches have one
/// dimension: y and z are 0 of 1.
enum SpecialRegister {
  TID_X("%tid.x"),
  TID_Y("%tid.y"),
  TID_Z("%tid.z"),
  NTID_X("%ntid.x"),
  NTID_Y("%ntid.y"),
  NTID_Z("%ntid.z"),
  CTAID_X("%ctaid.x"),
  CTAID_Y("%ctaid.y"),
  CTAID_Z("%ctaid.z"),
  NCTAID_X("%nctaid.x"),
  NCTAID_Y("%nctaid.y"),
  NCTAID_Z("%nctaid.z"),
  LANEID("%laneid"),
  WARPID("%warpid"),
  LANEMASK_EQ("%lanemask_eq"),
  LANEMASK_LT("%lanemask_lt"),
  LANEMASK_LE("%lanemask_le"),
  LANEMASK_GT("%lanemask_gt"),
  LANEMASK_GE("%lanemask_ge"),
  WARP_SIZE("WARP_SZ");

  private final String written;

  SpecialRegister(String written) {
    this.written = written;
  }

  static Optional<SpecialRegister> named(String written) {
    for (SpecialRegister register : values()) {
      if (register.written.equals(written)) {
        return Optional.of(register);
      }
    }
    return Optional.empty();
  }

  long of(ThreadState thread) {
    int own = 1 << thread.lane();
    int below = own - 1;
    return switch (this) {
      case TID_X -> thread.index();
      case NTID_X -> thread.block().threads();
      case CTAID_X -> thread.block().index();
      case NCTAID_X -> thread.block().blocks();
      case TID_Y, TID_Z, CTAID_Y, CTAID_Z -> 0;
      case NTID_Y, NTID_Z, NCTAID_Y, NCTAID_Z -> 1;
      case LANEID -> thread.lane();
      case WARPID -> thread.index() / Warp.LANES;
      case LANEMASK_EQ -> Integer.toUnsignedLong(own);
      case LANEMASK_LT -> Integer.toUnsignedLong(below);
      case LANEMASK_LE -> Integer.toUnsignedLong(below | own);
      case LANEMASK_GT -> Integer.toUnsignedLong(~(below | own));
      case LANEMASK_GE -> Integer.toUnsignedLong(~below);
      case WARP_SIZE -> Warp.LANES;
    };
  }
}
