package io.tallystick.wire;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// The calls of the service. A message is {@link WireFrames frames}' bytes; what is in them is
/// judged behind gRPC, so a bad one ends in an answer.
final class NodeMethods {
  static final String SERVICE = "tallystick.node.v1.Node";

  /// More than the largest submission and what surrounds it.
  static final int MESSAGE_BYTES_MAX = 24 << 20;

  static final MethodDescriptor<byte[], byte[]> STATUS = method("Status", MethodType.UNARY);
  static final MethodDescriptor<byte[], byte[]> ASK = method("Ask", MethodType.UNARY);
  static final MethodDescriptor<byte[], byte[]> WALK = method("Walk", MethodType.SERVER_STREAMING);

  /// One empty message, and no end while the server runs.
  static final MethodDescriptor<byte[], byte[]> WATCH =
      method("Watch", MethodType.SERVER_STREAMING);

  static final MethodDescriptor<byte[], byte[]> APPEND =
      method("Append", MethodType.BIDI_STREAMING);

  private NodeMethods() {}

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(Raw.INSTANCE)
        .setResponseMarshaller(Raw.INSTANCE)
        .build();
  }

  private enum Raw implements Marshaller<byte[]> {
    INSTANCE;

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
