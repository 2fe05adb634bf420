package io.tallystick.server;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One leaf with everything that belongs to it.
///
/// @param attestation the attestation of its submission; null for seals
/// @param salt present when the body is
/// @param batchRequestHashes requestHash of every request of its batch; empty unless a batch member
public record JournalView(
    long jsn,
    Bytes leaf,
    @Nullable Bytes attestation,
    BodyState bodyState,
    @Nullable Bytes salt,
    @Nullable Bytes body,
    List<Digest> batchRequestHashes) {
  public JournalView {
    batchRequestHashes = List.copyOf(batchRequestHashes);
  }
}
