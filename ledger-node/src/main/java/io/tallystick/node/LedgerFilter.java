package io.tallystick.node;

import io.tallystick.model.Digest;

/// The choice of the ledgers that a list shows; deleted ones are in none but {@link Knowing}.
public sealed interface LedgerFilter {
  /// Every one.
  record All() implements LedgerFilter {}

  /// Those that anybody may read.
  record Public() implements LedgerFilter {}

  /// Those of which `kid` is a member that is not revoked, and has not expired at `timeMs`.
  record OfMember(Digest kid, long timeMs) implements LedgerFilter {}

  /// Those of {@link OfMember}, and deleted ones too: they know the member's key.
  record Knowing(Digest kid, long timeMs) implements LedgerFilter {}
}
