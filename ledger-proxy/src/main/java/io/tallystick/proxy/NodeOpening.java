package io.tallystick.proxy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Authority;
import io.tallystick.node.HostedNode;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Opens the node while the framework starts: neither needs the other before the end, and both take
/// about as long with many ledgers.
final class NodeOpening {
  private final CompositeMeterRegistry meters = new CompositeMeterRegistry();
  private final CompletableFuture<@Nullable HostedNode> opening = new CompletableFuture<>();
  private volatile long openedMillis;
  private boolean taken;

  private NodeOpening() {}

  static NodeOpening begin(ServiceProperties properties, NodeOpener opener) {
    NodeOpening begun = new NodeOpening();
    Thread.ofPlatform().name("open-node").start(() -> begun.open(properties, opener));
    return begun;
  }

  private void open(ServiceProperties properties, NodeOpener opener) {
    long began = System.nanoTime();
    try {
      HostedNode node =
          opener.open(
              properties.node().folders(),
              new Authority(properties.node().authority()),
              SignatureProviders.best(),
              meters,
              properties.node().options());
      openedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      opening.complete(node);
    } catch (Exception | Error e) {
      opening.completeExceptionally(e);
    }
  }

  /// How long the node took to open, its recovery included.
  long openedMillis() {
    return openedMillis;
  }

  /// The node, once it is open; to be closed by the caller.
  ///
  /// @param into gets the node's meters; what they counted before is lost to it, but for what is
  ///   asked when it is read
  HostedNode take(MeterRegistry into) throws Exception {
    HostedNode node = Objects.requireNonNull(await());
    meters.add(into);
    taken = true;
    return node;
  }

  private @Nullable HostedNode await() throws Exception {
    try {
      return opening.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case Exception cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new AssertionError(e);
      }
    }
  }

  /// Waits for the node and closes it, unless somebody took it: the framework did not come so far.
  /// If it did not open there is nothing to close, and nothing to tell beside why the framework did
  /// not start.
  void abandon() throws IOException {
    HostedNode node = taken ? null : opening.exceptionally(_ -> null).join();
    if (node != null) {
      node.close();
    }
  }
}
