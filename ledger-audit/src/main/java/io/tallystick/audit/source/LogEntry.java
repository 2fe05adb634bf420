package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import java.util.Locale;

/// One entry of a log as its source tells it; nothing in it has been checked.
///
/// @param leaf the canonical leaf
/// @param attestation with genesis and the first journal of a submission; empty with all others
/// @param ops of the journal, as {@link io.tallystick.journal.Ops} encodes them; empty without
/// @param salt empty unless the body is present
/// @param body empty unless it is present
public record LogEntry(
    Bytes leaf, Bytes attestation, Bytes ops, BodyState bodyState, Bytes salt, Bytes body) {
  /// An entry without operations.
  public LogEntry(Bytes leaf, Bytes attestation, BodyState bodyState, Bytes salt, Bytes body) {
    this(leaf, attestation, Bytes.EMPTY, bodyState, salt, body);
  }

  /// For an entry of a ledger without a state: what cannot be kept must not be lost silently.
  public void checkNoOps(long jsn) throws LogFormatException {
    if (!ops.isEmpty()) {
      throw LogFormatException.malformed(
          String.format(
              Locale.ROOT,
              "entry %d has %d bytes of operations, its ledger has no state",
              jsn,
              ops.size()));
    }
  }

  /// The bytes it holds.
  public int sizeBytes() {
    return leaf.size() + attestation.size() + ops.size() + salt.size() + body.size();
  }
}
