package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.LedgerServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a text field that is not UTF-8 is the client's fault, answered as such, and never becomes
/// U+FFFD. Method: requests written byte by byte.
class BadTextTest {
  /// Takes the bytes of a message as they are.
  private static final class AsTheyAre implements MethodDescriptor.Marshaller<byte[]> {
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

  /// A lone byte, what is cut off, an overlong form, half a surrogate pair of either side, a pair
  /// written as two, a code point beyond the last.
  @ParameterizedTest
  @ValueSource(strings = {"ff", "d09c d0", "c080", "eda080", "edb080", "eda0bdedb880", "f4908080"})
  void isAnsweredAsMalformed(String hex) throws Exception {
    byte[] text = HexFormat.of().parseHex(hex.replace(" ", ""));
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(request);
    out.writeBytes(CreateLedgerRequest.NAME_FIELD_NUMBER, ByteString.copyFrom(text));
    out.flush();
    MethodDescriptor<byte[], byte[]> create =
        LedgerServiceGrpc.getCreateLedgerMethod().toBuilder(new AsTheyAre(), new AsTheyAre())
            .build();
    try (TestFront front = new TestFront(new MemoryNode())) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", front.port()).usePlaintext().build();
      try {
        StatusRuntimeException refused =
            catchThrowableOfType(
                StatusRuntimeException.class,
                () ->
                    ClientCalls.blockingUnaryCall(
                        channel, create, CallOptions.DEFAULT, request.toByteArray()));
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        Metadata trailers = Objects.requireNonNull(refused.getTrailers());
        assertThat(Objects.requireNonNull(trailers.get(ProblemTrailer.KEY)).getCode())
            .isEqualTo("malformed");
        assertThat(front.refusals("malformed")).isEqualTo(1);
      } finally {
        channel.shutdownNow();
      }
    }
  }
}
