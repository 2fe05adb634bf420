package io.tallystick.bench.soak;

import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Appends on one stream over a connection of its own. Without the SDK, which signs and sends in
/// one step: here the bytes are on the disk in between, and another process may be the one that
/// sends them again.
final class GrpcAppends implements Appends {
  private static final long SECONDS_MAX = 15;
  private static final MethodDescriptor<byte[], byte[]> APPEND =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodType.BIDI_STREAMING)
          .setFullMethodName("tallystick.v1.JournalService/Append")
          .setRequestMarshaller(new Raw())
          .setResponseMarshaller(new Raw())
          .build();

  private final ManagedChannel channel;
  private @Nullable Stream stream;
  private long lastId;

  /// @param target `HOST:PORT`
  GrpcAppends(String target) {
    channel = Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
  }

  @Override
  public Answer append(SoakRequest request) throws InterruptedException {
    Stream current = stream;
    if (current == null) {
      current = new Stream();
      current.open();
      stream = current;
    }
    long id = ++lastId;
    Object answer = current.call(AppendMessage.encode(id, request));
    if (answer instanceof byte[] bytes) {
      try {
        return AppendMessage.decode(id, bytes);
      } catch (IOException e) {
        throw new UncheckedIOException("an answer that is none", e);
      }
    }
    current.cancel();
    stream = null;
    channel.resetConnectBackoff();
    return new Answer.Silent(answer == null ? "no answer in time" : String.valueOf(answer));
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  private final class Stream implements StreamObserver<byte[]> {
    /// Answers, and the status with which the stream ended.
    private final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();

    private @Nullable StreamObserver<byte[]> out;

    void open() {
      out = ClientCalls.asyncBidiStreamingCall(channel.newCall(APPEND, CallOptions.DEFAULT), this);
    }

    @Nullable Object call(byte[] message) throws InterruptedException {
      if (out == null) {
        throw new AssertionError("stream is not open");
      }
      try {
        out.onNext(message);
      } catch (IllegalStateException e) {
        return e; // it broke meanwhile
      }
      return answers.poll(SECONDS_MAX, TimeUnit.SECONDS);
    }

    void cancel() {
      if (out != null) {
        out.onError(Status.CANCELLED.asRuntimeException());
      }
    }

    @Override
    public void onNext(byte[] answer) {
      answers.add(answer);
    }

    @Override
    public void onError(Throwable failure) {
      answers.add(Status.fromThrowable(failure));
    }

    @Override
    public void onCompleted() {
      answers.add(Status.UNAVAILABLE);
    }
  }

  private static final class Raw implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream message) {
      try {
        return message.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
