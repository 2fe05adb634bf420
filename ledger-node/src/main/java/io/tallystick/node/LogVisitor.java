package io.tallystick.node;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import org.jspecify.annotations.Nullable;

/// Receives leaves of a log in order.
@FunctionalInterface
public interface LogVisitor {
  /// @param attestation with genesis and the first journal of a submission (or of the walk, if that
  ///   starts inside a batch); else null
  /// @param ops the journal's operations as {@link io.tallystick.journal.Ops} encodes them; empty
  ///   if it has none
  /// @return whether the next leaf is wanted
  boolean leaf(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body);
}
