package io.tallystick.cluster.proxy;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HostedNode;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.StatePruning;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// A cluster as the node that a proxy stands on. The proxy itself keeps nothing: what an operator
/// asks of a node's storage is asked of servers.
public final class HostedCluster implements HostedNode {
  private final ClusterNode node;
  private final ClusterRoutes routes;

  public HostedCluster(ClusterRoutes routes) {
    this.node = new ClusterNode(routes, routes, routes);
    this.routes = routes;
  }

  @Override
  public LedgerNode node() {
    return node;
  }

  @Override
  public KeptStates keptStates() {
    return new KeptStates() {
      @Override
      public List<KeptState> keptStates() {
        return List.of();
      }

      @Override
      public KeptState pruneState(LedgerId id, StatePruning pruning)
          throws RequestRejectedException {
        throw new RequestRejectedException(
            RejectionCode.UNAVAILABLE, "a proxy keeps no states: servers do");
      }
    };
  }

  /// Servers judge certificates, by authorities of their own settings.
  ///
  /// @throws IllegalArgumentException always: a proxy that has such a setting must not start, as if
  ///   it had an effect
  @Override
  public void trust(CertificateAuthorities authorities) {
    throw new IllegalArgumentException(
        "the authorities of members' certificates are settings of servers, not of a proxy");
  }

  @Override
  public boolean hasDuties() {
    return false;
  }

  @Override
  public Optional<LedgerId> tLedger() {
    return routes.tLedger();
  }

  @Override
  public void close() throws IOException {
    node.close();
  }
}
