package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.LedgerServiceGrpc;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a text field that is not UTF-8 is the client's fault, answered as such, and never becomes
/// U+FFFD. Method: requests written byte by byte.
class BadTextTest {
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
        LedgerServiceGrpc.getCreateLedgerMethod().toBuilder(new BareBytes(), new BareBytes())
            .build();
    try (TestFront front = new TestFront(new MemoryNode())) {
      StatusRuntimeException refused =
          catchThrowableOfType(
              StatusRuntimeException.class,
              () ->
                  ClientCalls.blockingUnaryCall(
                      front.channel, create, CallOptions.DEFAULT, request.toByteArray()));
      assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(TestFront.problem(refused).getCode()).isEqualTo("malformed");
      assertThat(front.refusals("malformed")).isEqualTo(1);
    }
  }
}
