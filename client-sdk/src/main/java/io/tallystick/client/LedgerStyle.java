package io.tallystick.client;

import io.tallystick.journal.Feature;
import java.util.Optional;

/// The style of a ledger: who writes it, for ever. Source: `docs/formats/people-and-time.md`,
/// "Styles".
public enum LedgerStyle {
  /// Owners and normal members.
  FEDERATED,
  /// One owner, and nobody else but regulators.
  MONO,
  /// Owners, and agents: a normal member's key is marked as delegated.
  DELEGATED;

  Optional<Feature> feature() {
    return switch (this) {
      case FEDERATED -> Optional.empty();
      case MONO -> Optional.of(Feature.MONO);
      case DELEGATED -> Optional.of(Feature.DELEGATED);
    };
  }
}
