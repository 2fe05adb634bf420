package io.tallystick.master.duty;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.MemberCertificates;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has a node drop the certificates that no grant named in time, at the start and every hour.
public final class ExpiredCertificates implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredCertificates.class);
  private static final long CLOSE_SECONDS_MAX = 5;

  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("certificates").daemon().factory());

  /// Begins with what expired while the service was stopped.
  public ExpiredCertificates(LedgerNode node) {
    if (node.memberCertificates().isPresent()) {
      var _ = rounds.scheduleWithFixedDelay(() -> round(node), 0, 1, TimeUnit.HOURS);
    }
  }

  /// Asks the node anew: those of an earlier opening change nothing.
  private static void round(LedgerNode node) {
    try {
      Optional<MemberCertificates> certificates = node.memberCertificates();
      if (certificates.isPresent()) {
        certificates.get().dropExpired();
      }
    } catch (RequestRejectedException | RuntimeException e) {
      // The next round finds the same ones.
      LOG.warn("Expired certificates wait for the next round: {}", e.toString());
    }
  }

  @Override
  public void close() {
    rounds.shutdownNow();
    try {
      boolean _ = rounds.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
