package io.tallystick.proxy;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Authority;
import io.tallystick.node.HostedNode;
import io.tallystick.node.NodeFolders;
import io.tallystick.node.NodeOptions;

/// Opens the node that a service stands on. Whoever starts the service brings it: the service knows
/// the face of a node alone.
@FunctionalInterface
public interface NodeOpener {
  /// @param folders of its data and of the service's keys
  /// @param authority for a new directory; an old one keeps its own
  /// @param meters get what the node counts
  /// @param options how the node runs
  /// @throws Exception whose message says in one line why the node cannot be opened
  HostedNode open(
      NodeFolders folders,
      Authority authority,
      Signatures signatures,
      MeterRegistry meters,
      NodeOptions options)
      throws Exception;
}
