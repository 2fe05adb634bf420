package io.tallystick.proxy.edge;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// Takes the bytes of a message as they are, right or wrong.
final class BareBytes implements MethodDescriptor.Marshaller<byte[]> {
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
