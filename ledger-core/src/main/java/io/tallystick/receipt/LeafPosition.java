package io.tallystick.receipt;

import io.tallystick.cbor.CborReader;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// The jsn a leaf itself claims: every leaf of a log begins `[type, jsn, …`. The rest of it is
/// bound by its hash and read by its own codec.
final class LeafPosition {
  static final int LEAF_BYTES_MAX = 16 * 1024;

  private static final long FIRST_TYPE = 1;
  private static final long LAST_TYPE = 3;

  private LeafPosition() {}

  /// @throws ProofRejectedException unless `leaf` is a journal, seal or genesis leaf with this jsn
  static void check(Bytes leaf, long jsn) throws ProofRejectedException {
    if (leaf.size() > LEAF_BYTES_MAX) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "leaf of " + leaf.size() + " bytes, at most " + LEAF_BYTES_MAX);
    }
    long claimed;
    try {
      CborReader in = new CborReader(leaf);
      in.array();
      checkType(in.uint());
      claimed = in.uint();
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "leaf: " + e.getMessage(), e);
    }
    if (claimed != jsn) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "leaf says jsn " + claimed + ", its index is " + jsn);
    }
  }

  private static void checkType(long type) throws ProofRejectedException {
    if (type < FIRST_TYPE || type > LAST_TYPE) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "type " + type + " is no leaf of a log, want 1 to 3");
    }
  }
}
