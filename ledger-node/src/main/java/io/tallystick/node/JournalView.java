package io.tallystick.node;

import io.tallystick.journal.BodyState;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import org.jspecify.annotations.Nullable;

/// One leaf with everything that belongs to it.
///
/// @param attestation the attestation of its submission; null for seals
/// @param salt present when the body is
/// @param ops its operations as {@link io.tallystick.journal.Ops} encodes them; empty if it has
///   none
/// @param batchProof that its requestHash is in the tree whose root its batch's signatures sign;
///   null unless a batch member
public record JournalView(
    long jsn,
    Bytes leaf,
    @Nullable Bytes attestation,
    BodyState bodyState,
    @Nullable Bytes salt,
    @Nullable Bytes body,
    Bytes ops,
    @Nullable InclusionProof batchProof) {
  /// The bytes of leaf, attestation, body and operations.
  public long byteCount() {
    return (long) leaf.size() + size(attestation) + size(body) + ops.size();
  }

  private static int size(@Nullable Bytes part) {
    return part == null ? 0 : part.size();
  }
}
