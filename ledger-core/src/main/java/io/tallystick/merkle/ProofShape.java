package io.tallystick.merkle;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;

/// The checks every proof passes before anything is hashed. What is checked came from the party
/// being audited, so a bad value is a rejection, not a bug.
final class ProofShape {
  private ProofShape() {}

  static void checkSize(long size) throws ProofRejectedException {
    if (size < 1 || size > TreeGeometry.SIZE_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "tree size " + size + ", want 1 to 2^62");
    }
  }

  static void checkIndex(long index, long size) throws ProofRejectedException {
    checkSize(size);
    if (index < 0 || index >= size) {
      throw new ProofRejectedException(Reason.INDEX_OUT_OF_RANGE, index + " of " + size);
    }
  }

  static void checkLength(List<Digest> path, int want) throws ProofRejectedException {
    if (path.size() != want) {
      throw new ProofRejectedException(
          Reason.WRONG_PATH_LENGTH, path.size() + " hashes, want " + want);
    }
  }

  static void checkRoot(Digest computed, Digest want) throws ProofRejectedException {
    if (!computed.equals(want)) {
      throw new ProofRejectedException(Reason.ROOT_MISMATCH, computed + ", want " + want);
    }
  }
}
