package io.tallystick.misbehaviour;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Locale;

/// The verified parts of the evidence of one claim.
///
/// @param items not verified
record Shown(
    StrandId strand,
    ServiceKeys keys,
    List<ShownLeaf> leaves,
    List<Bytes> items,
    Signatures signatures) {
  /// @throws ProofRejectedException with `MISSING` unless there are so many of each
  void demand(int leafCount, int itemCount) throws ProofRejectedException {
    if (leaves.size() != leafCount || items.size() != itemCount) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "%d leaves and %d items, want %d and %d",
              leaves.size(),
              items.size(),
              leafCount,
              itemCount));
    }
  }

  /// The refusal of evidence that shows no misdeed.
  static ProofRejectedException inOrder(String detail) {
    return new ProofRejectedException(Reason.MISSING, detail);
  }
}
