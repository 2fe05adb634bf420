package io.tallystick.cluster.server;

import io.tallystick.cluster.ServiceKids;
import io.tallystick.crypto.Signatures;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.server.keys.ServiceKeysException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The key pairs in the folder that was given to this server; one that is put there while it runs
/// is found soon. One thread looks, any asks.
final class HeldPairs {
  private static final Logger LOG = LoggerFactory.getLogger(HeldPairs.class);
  private static final Duration EVERY = Duration.ofSeconds(2);

  private final Path folder;
  private final Signatures signatures;
  private final LongSupplier nanoTime;
  private volatile List<KeyPairKids> held;
  private long lookedNanos;

  /// @param nanoTime as {@link System#nanoTime}
  /// @throws ServiceKeysException if the first pair is missing, unreadable or open to others
  HeldPairs(Path folder, Signatures signatures, LongSupplier nanoTime)
      throws IOException, ServiceKeysException {
    this.folder = folder;
    this.signatures = signatures;
    this.nanoTime = nanoTime;
    this.held = ServiceKids.of(folder, signatures);
    this.lookedNanos = nanoTime.getAsLong();
  }

  /// Reads them again, if that is due. A folder that is not whole yet changes nothing.
  void look() {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos < EVERY.toNanos()) {
      return;
    }
    lookedNanos = now;
    try {
      List<KeyPairKids> found = ServiceKids.of(folder, signatures);
      if (!found.equals(held)) {
        LOG.info("key pairs held: {}", found);
      }
      held = found;
    } catch (IOException | ServiceKeysException e) {
      LOG.warn("the folder of keys cannot be read: {}", e.toString());
    }
  }

  List<KeyPairKids> all() {
    return held;
  }
}
