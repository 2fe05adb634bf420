package io.tallystick.proxy.edge;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerName;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.nio.charset.StandardCharsets;

/// Goal: no message makes the edge do anything but hand it on or refuse it with a code. Method:
/// Jazzer; `docs/testing.md`. What is no message at all is refused by the protobuf runtime.
class FromProtoFuzzTest extends FuzzContract {
  @FuzzTest
  void append(byte[] input) {
    attempt(
        () -> {
          AppendRequest request = AppendRequest.parseFrom(input);
          if (FromProto.submission(request).requests().isEmpty()) {
            throw new AssertionError("a submission of nothing");
          }
        },
        InvalidProtocolBufferException.class,
        RequestRejectedException.class);
  }

  @FuzzTest
  void createLedger(byte[] input) {
    attempt(
        () -> {
          CreateLedgerRequest request = CreateLedgerRequest.parseFrom(input);
          String name = FromProto.ledgerName(request).name();
          if (name.getBytes(StandardCharsets.UTF_8).length > LedgerName.NAME_BYTES_MAX
              || name.chars().anyMatch(Character::isISOControl)) {
            throw new AssertionError("took the name " + name);
          }
        },
        InvalidProtocolBufferException.class,
        RequestRejectedException.class);
  }
}
