package io.tallystick.proxy.edge;

import com.google.protobuf.Parser;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// Makes messages of bytes, or says why there is none: too long, too many values, or no message of
/// that method. Thread-safe.
///
/// @param name of the method whose request is read
record MessageReader<Q>(String name, Parser<Q> parser, ValueCount values)
    implements MethodDescriptor.Marshaller<MessageReader.Message<Q>> {
  /// What of one message's bytes is copied into, by each thread that reads; longer ones have their
  /// own.
  private static final int KEPT_BYTES = 1 << 20;

  private static final ThreadLocal<byte[]> KEPT = ThreadLocal.withInitial(() -> new byte[16 << 10]);

  /// What arrived: a message, or why there is none.
  record Message<Q>(@Nullable Q value, @Nullable RequestRejectedException refusal) {}

  /// @param method generated, as all are that are served here
  @SuppressWarnings("unchecked") // a prototype's parser makes what the prototype is
  static <Q, R> MessageReader<Q> of(MethodDescriptor<Q, R> method) {
    if (method.getRequestMarshaller() instanceof PrototypeMarshaller<Q> prototypes
        && prototypes.getMessagePrototype() instanceof com.google.protobuf.Message prototype) {
      return new MessageReader<>(
          method.getFullMethodName(),
          (Parser<Q>) prototype.getParserForType(),
          ValueCount.of(prototype.getDescriptorForType()));
    }
    throw new IllegalArgumentException(method.getFullMethodName() + " takes no generated message");
  }

  @Override
  public Message<Q> parse(InputStream stream) {
    try {
      return new Message<>(read(stream), null);
    } catch (RequestRejectedException refusal) {
      return new Message<>(null, refusal);
    } catch (IOException e) {
      // Nothing is read from anywhere: what is compressed is unpacked here, and may be no such
      // thing.
      return new Message<>(null, malformed(e));
    } catch (StatusRuntimeException e) {
      // So does gRPC say that a compressed one is above what the transport lets through.
      boolean tooLong = e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED;
      return new Message<>(null, tooLong ? tooLarge() : malformed(e));
    }
  }

  private Q read(InputStream stream) throws IOException, RequestRejectedException {
    if (!(stream instanceof KnownLength)) {
      // How long a compressed message is shows only when it has been read.
      byte[] bytes = stream.readNBytes(Edge.MESSAGE_BYTES_MAX + 1);
      return read(bytes, bytes.length);
    }
    int size = stream.available();
    if (size > Edge.MESSAGE_BYTES_MAX) {
      throw tooLarge();
    }
    byte[] bytes = room(size);
    return read(bytes, stream.readNBytes(bytes, 0, size));
  }

  private Q read(byte[] bytes, int size) throws IOException, RequestRejectedException {
    if (size > Edge.MESSAGE_BYTES_MAX) {
      throw tooLarge();
    }
    if (values.isExceededBy(bytes, size)) {
      throw tooMany();
    }
    Q value = parser.parseFrom(bytes, 0, size);
    if (value instanceof AppendRequest message) {
      PackedAnswers.checkMessage(message);
    }
    return value;
  }

  private static byte[] room(int size) {
    byte[] kept = KEPT.get();
    if (size <= kept.length) {
      return kept;
    }
    byte[] longer = new byte[size > KEPT_BYTES ? size : Integer.highestOneBit(size - 1) << 1];
    if (size <= KEPT_BYTES) {
      KEPT.set(longer);
    }
    return longer;
  }

  private static RequestRejectedException tooMany() {
    return new RequestRejectedException(
            RejectionCode.TOO_LARGE,
            "message of more than %d values".formatted(ValueCount.VALUES_MAX))
        .withLimit(ValueCount.VALUES_MAX);
  }

  private RequestRejectedException malformed(Exception cause) {
    return new RequestRejectedException(
        RejectionCode.MALFORMED, "the bytes received are no message of " + name, cause);
  }

  private static RequestRejectedException tooLarge() {
    return new RequestRejectedException(
            RejectionCode.TOO_LARGE,
            "message of more than %d bytes".formatted(Edge.MESSAGE_BYTES_MAX))
        .withLimit(Edge.MESSAGE_BYTES_MAX);
  }

  @Override
  public InputStream stream(Message<Q> message) {
    throw new IllegalStateException("a server sends no requests");
  }
}
