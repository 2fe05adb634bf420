package io.tallystick.proxy;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Authority;
import io.tallystick.node.HostedNode;
import java.nio.file.Path;

/// Opens the node that a service stands on. Whoever starts the service brings it: the service knows
/// the face of a node alone.
@FunctionalInterface
public interface NodeOpener {
  /// @param dataDirectory made if there is none
  /// @param authority for a new directory; an old one keeps its own
  /// @param meters get what the node counts
  /// @throws Exception whose message says in one line why the node cannot be opened
  HostedNode open(
      Path dataDirectory, Authority authority, Signatures signatures, MeterRegistry meters)
      throws Exception;
}
