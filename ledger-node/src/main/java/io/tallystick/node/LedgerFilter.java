package io.tallystick.node;

import io.tallystick.model.Digest;

/// Which ledgers a list shows.
public sealed interface LedgerFilter {
  /// Every one.
  record All() implements LedgerFilter {}

  /// Those that anybody may read.
  record Public() implements LedgerFilter {}

  /// Those of which `kid` is a current member.
  record OfMember(Digest kid) implements LedgerFilter {}
}
