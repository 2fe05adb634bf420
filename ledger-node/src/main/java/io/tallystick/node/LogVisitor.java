package io.tallystick.node;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import org.jspecify.annotations.Nullable;

/// Receives leaves of a log in order.
@FunctionalInterface
public interface LogVisitor {
  /// @param attestation with genesis and the first journal of a submission (or of the walk, if that
  ///   starts inside a batch); else null
  void leaf(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body)
      throws RequestRejectedException;
}
