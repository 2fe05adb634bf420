package io.tallystick.node;

import io.tallystick.model.Digest;

/// Which ledgers a list shows.
public sealed interface LedgerFilter {
  /// Every one.
  record All() implements LedgerFilter {}

  /// Those that anybody may read.
  record Public() implements LedgerFilter {}

  /// Those of which `kid` is a member that is not revoked, and has not expired at `timeMs`.
  record OfMember(Digest kid, long timeMs) implements LedgerFilter {}
}
