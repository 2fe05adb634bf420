package io.tallystick.proxy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Authority;
import io.tallystick.server.LocalNode;
import io.tallystick.server.NodeSeams;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Opens the node while the framework starts: neither needs the other before the end, and both take
/// about as long with many ledgers.
final class NodeOpening {
  private final CompositeMeterRegistry meters = new CompositeMeterRegistry();
  private final FutureTask<LocalNode> opening;
  private boolean taken;

  private NodeOpening(ServiceProperties properties, NodeSeams seams) {
    opening =
        new FutureTask<>(() ->
            LocalNode.open(
                properties.dataPath(),
                new Authority(properties.authority()),
                seams,
                SignatureProviders.best(),
                meters));
  }

  static NodeOpening begin(ServiceProperties properties, NodeSeams seams) {
    NodeOpening begun = new NodeOpening(properties, seams);
    Thread.ofPlatform().name("open-node").daemon().start(begun.opening);
    return begun;
  }

  /// The node, once it is open; to be closed by the caller.
  ///
  /// @param into gets what the node measures, from its opening on
  LocalNode take(MeterRegistry into)
      throws IOException, ServiceKeysException, CorruptStreamException {
    LocalNode node = await();
    taken = true;
    meters.add(into);
    return node;
  }

  /// Closes the node if nobody took it: the framework did not come so far.
  void abandon() throws IOException {
    if (taken) {
      return;
    }
    try {
      await().close();
    } catch (ServiceKeysException | CorruptStreamException | RuntimeException _) {
      // It did not open, and why the framework did not start is told already.
    }
  }

  private LocalNode await() throws IOException, ServiceKeysException, CorruptStreamException {
    try {
      return opening.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the node opened", e);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case ServiceKeysException cause -> throw cause;
        case CorruptStreamException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new AssertionError(e);
      }
    }
  }
}
