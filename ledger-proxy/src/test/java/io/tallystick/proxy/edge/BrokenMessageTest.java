package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.Ledger;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a message that a stop or the end of a connection has cut is told from one that is wrong:
/// the first may be sent again. Method: a real front, and messages that are not whole.
class BrokenMessageTest {
  private TestFront front;

  @BeforeEach
  void start() throws Exception {
    front = new TestFront(new MemoryNode());
  }

  @AfterEach
  void stop() {
    front.close();
  }

  /// A call whose message lacks its last byte.
  private Problem answerToACutMessage() {
    MethodDescriptor<byte[], Ledger> method =
        LedgerServiceGrpc.getGetLedgerMethod().toBuilder(
                new BareBytes(), LedgerServiceGrpc.getGetLedgerMethod().getResponseMarshaller())
            .build();
    byte[] whole =
        GetLedgerRequest.newBuilder()
            .setLedgerId(TestFront.id(Fixtures.ledger()))
            .build()
            .toByteArray();
    byte[] cut = Arrays.copyOf(whole, whole.length - 1);
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
    StatusRuntimeException refused =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () -> ClientCalls.blockingUnaryCall(front.channel, method, options, cut));
    return TestFront.problem(refused);
  }

  @Test
  void aCutMessageIsMalformedUnlessTheServiceStops() {
    Problem wrong = answerToACutMessage();
    assertThat(wrong.getCode()).isEqualTo("malformed");
    assertThat(wrong.getRetryable()).isFalse();

    front.edge.drain();
    Problem stopped = answerToACutMessage();
    assertThat(stopped.getCode()).isEqualTo("unavailable");
    assertThat(stopped.getRetryable()).isTrue();
  }

  /// The transport ends such a call by itself.
  @ParameterizedTest
  @ValueSource(strings = {"JournalService/Append", "LedgerService/CreateLedger"})
  void aMessageThatNeverComesWholeIsNotMalformed(String method) throws Exception {
    try (RawHttp2 connection = new RawHttp2(front.port(), 1 << 16).settle()) {
      assertThat(connection.sendHalf("tallystick.v1." + method)).doesNotContain("malformed");
    }
    assertThat(front.meters.find("ledger.refusals").tag("code", "malformed").counter())
        .satisfiesAnyOf(
            none -> assertThat(none).isNull(), some -> assertThat(some.count()).isZero());
  }
}
