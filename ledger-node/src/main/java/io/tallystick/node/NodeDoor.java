package io.tallystick.node;

import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.CompletableFuture;

/// The door of a node: everything that is asked of it or done by it for an answer comes through
/// here, but appends and walks over a log. The interfaces that extend it name each question; no
/// body of a node implements those methods. Thread-safe; every method may block on a disk.
public interface NodeDoor {
  /// @throws RequestRejectedException as the question's own method says
  <R> R ask(NodeRead<R> read) throws RequestRejectedException;

  /// @throws RequestRejectedException as the change's own method says
  <R> R change(NodeChange<R> change) throws RequestRejectedException;

  /// {@link #change} for whoever wants no thread to wait for an answer that may come long after.
  ///
  /// @return fails with a {@link RequestRejectedException} as `change` does
  /// @throws RequestRejectedException as the change's own method says, if that is known at once
  default <R> CompletableFuture<R> changeLater(NodeChange<R> change)
      throws RequestRejectedException {
    return CompletableFuture.completedFuture(change(change));
  }
}
