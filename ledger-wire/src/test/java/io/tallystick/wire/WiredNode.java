package io.tallystick.wire;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.journal.Feature;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.MemberToken;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.wire.TestCluster;
import io.tallystick.wire.ShardOwners.Owned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// A real node in a directory, listening with TLS on loopback, and stubs of it.
final class WiredNode {
  static final Signatures SIGNATURES = SignatureProviders.best();
  static final int SHARD = 3;
  static final String CLUSTER = "trial";
  static final WireSettings SETTINGS =
      new WireSettings(
          Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofMillis(500), 64L << 20);

  final TestCluster cluster;
  final LedgerNode local;
  final AtomicLong epoch = new AtomicLong(7);
  final AtomicLong believedEpoch = new AtomicLong(7);
  final AtomicLong refusedEpoch = new AtomicLong();
  final NodeListener listener;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /// @param verifySingles as {@link NodeService} has it
  WiredNode(Path directory, boolean verifySingles) throws Exception {
    cluster = new TestCluster(directory, CLUSTER);
    LocalNode host =
        LocalNode.open(
            directory.resolve("data"),
            new Authority("localhost"),
            NodeSeams.production(GpuMode.OFF),
            SIGNATURES,
            new SimpleMeterRegistry());
    opened.push(host);
    local = host.node();
    NodeService service =
        new NodeService(
            number ->
                number == SHARD ? Optional.of(new Owned(local, epoch.get())) : Optional.empty(),
            SIGNATURES,
            Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST),
            verifySingles,
            WiredNode::memberOf,
            SETTINGS);
    opened.push(service);
    listener =
        NodeListener.start(
            loopback(0), Optional.of(cluster.of(WireRole.SERVER.uri(CLUSTER))), service);
    opened.push(listener);
  }

  /// Here a token is the hex of a member's kid.
  static Member memberOf(LedgerNode node, LedgerId ledger, MemberToken token)
      throws RequestRejectedException {
    return node.member(ledger, Digest.fromHex(token.text()))
        .filter(member -> member.currentAt(node.timeMs()))
        .orElseThrow(() ->
            new RequestRejectedException(RejectionCode.TOKEN_INVALID, "a token of no member"));
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  NodeStub stub() throws Exception {
    return stub(cluster.of(WireRole.PROXY.uri(CLUSTER)), WireRole.PROXY);
  }

  NodeStub stub(WireTls tls, WireRole own) throws Exception {
    NodeStub stub =
        NodeStub.connect(
            new NodeStub.Target(loopback(listener.port()), Optional.of(tls), own),
            SETTINGS,
            new NodeStub.Shard(SHARD, believedEpoch::get, refusedEpoch::set));
    opened.push(stub);
    return stub;
  }

  void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
