package io.tallystick.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cluster.zoo.TestZooKeeper;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.testkit.Fixtures;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: of two who name the T-Ledger of a cluster one goes on. Method: founding requests that no
/// node takes, written to a real ZooKeeper.
class ClusterTLedgerTest {
  /// Of a node that does not answer.
  private static Bytes request() throws Exception {
    LedgerNode silent =
        (LedgerNode)
            Proxy.newProxyInstance(
                LedgerNode.class.getClassLoader(),
                new Class<?>[] {LedgerNode.class},
                (_, method, _) ->
                    switch (method.getName()) {
                      case "identity" ->
                          new ServiceIdentity(
                              Fixtures.ledger().params().authority(),
                              Fixtures.NOTE.publicKey(),
                              Fixtures.RECEIPT.publicKey());
                      case "timeMs" -> Fixtures.TIME_MS;
                      default -> throw new IllegalStateException("silent");
                    });
    List<Bytes> kept = new ArrayList<>();
    TLedgerFounding.Keeper keeper =
        new TLedgerFounding.Keeper() {
          @Override
          public Optional<Bytes> kept() {
            return Optional.empty();
          }

          @Override
          public boolean keep(Optional<Bytes> before, Bytes request) {
            kept.add(request);
            return true;
          }
        };
    try {
      throw new AssertionError(
          new TLedgerFounding(silent, Fixtures.CAROL, SignatureProviders.best(), keeper).open());
    } catch (IllegalStateException | RequestRejectedException _) {
      return kept.getFirst();
    }
  }

  @Test
  void aRequestTakesThePlaceOfTheOneThatWasRead(@TempDir Path folder) throws Exception {
    Bytes first = request();
    Bytes second = request();
    SecureRandom nonces = new SecureRandom();
    try (TestZooKeeper zooKeeper = TestZooKeeper.start(folder);
        ClusterConnection connection = ClusterConnection.open(zooKeeper.address(), "one")) {
      String path = connection.paths().tLedger();
      connection
          .curator()
          .create()
          .creatingParentsIfNeeded()
          .forPath(path.substring(0, path.lastIndexOf('/')));
      assertThat(ClusterTLedger.read(connection)).isEmpty();
      assertThat(ClusterTLedger.write(connection, Optional.of(first), second, nonces)).isFalse();
      assertThat(ClusterTLedger.write(connection, Optional.empty(), first, nonces)).isTrue();
      assertThat(ClusterTLedger.write(connection, Optional.empty(), second, nonces)).isFalse();
      assertThat(ClusterTLedger.read(connection).orElseThrow().request()).isEqualTo(first);
      assertThat(ClusterTLedger.write(connection, Optional.of(first), second, nonces)).isTrue();
      assertThat(ClusterTLedger.read(connection).orElseThrow().request()).isEqualTo(second);
    }
  }
}
