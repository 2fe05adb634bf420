package io.tallystick.wire;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/// A stream from a server that carries nothing: it breaks at once when the server's process ends,
/// and within seconds when its machine is gone. Thread-safe.
public final class ServerWatch implements AutoCloseable {
  private final ManagedChannel channel;
  private final AtomicBoolean closed = new AtomicBoolean();

  /// Who is told of the stream, on threads of its own; must not block.
  public interface Listener {
    /// The server has answered.
    void up();

    /// The stream broke, or never came to be. Told once at most, and not of one that was closed
    /// here.
    void reset();
  }

  private ServerWatch(ManagedChannel channel) {
    this.channel = channel;
  }

  /// Begins to connect; does not wait.
  ///
  /// @throws IOException if bytes would cross a network in the clear, or a certificate is bad
  public static ServerWatch begin(NodeStub.Target target, Listener listener) throws IOException {
    ServerWatch watch = new ServerWatch(NodeStub.channel(target));
    ClientCalls.asyncServerStreamingCall(
        watch.channel.newCall(NodeMethods.WATCH, CallOptions.DEFAULT),
        new byte[0],
        watch.new Told(listener));
    return watch;
  }

  private final class Told implements StreamObserver<byte[]> {
    private final Listener listener;

    Told(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void onNext(byte[] nothing) {
      listener.up();
    }

    @Override
    public void onError(Throwable failure) {
      over();
    }

    @Override
    public void onCompleted() {
      over();
    }

    private void over() {
      if (closed.compareAndSet(false, true)) {
        channel.shutdownNow();
        listener.reset();
      }
    }
  }

  @Override
  public void close() {
    closed.set(true);
    channel.shutdownNow();
  }
}
