package io.tallystick.node;

import io.tallystick.model.RequestRejectedException;

/// The door of a process that follows a shard which another writes. It answers what {@link
/// FollowerRead} lets it, as far as frames behind confirm its blocks, and refuses all else with
/// `UNAVAILABLE`: only the owner knows that there is no more. Thread-safe; it may block on a disk.
@FunctionalInterface
public interface FollowerDoor {
  /// @param frame the newest one that the owner had confirmed when the question was put; an answer
  ///   that an erasure may change is given only if it is replayed. -1: none is known to the caller
  /// @throws RequestRejectedException `UNAVAILABLE`, always
  <R> R ask(NodeRead<R> read, long frame) throws RequestRejectedException;
}
