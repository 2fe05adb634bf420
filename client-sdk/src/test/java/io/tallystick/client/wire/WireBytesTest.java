package io.tallystick.client.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tallystick.api.WireArray;
import io.tallystick.api.v1.SignedRequest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/// Goal: a field is read without a copy where that is safe, and rightly where it is not. Method:
/// one value in every form protobuf gives it.
class WireBytesTest {
  private static final byte[] VALUE = {1, 2, 3, 4, 5, 6, 7, 8, 9};

  @Test
  void sharesTheArrayOfAParsedField() throws Exception {
    byte[] message =
        SignedRequest.newBuilder().setBody(ByteString.copyFrom(VALUE)).build().toByteArray();
    ByteString parsed = SignedRequest.parseFrom(message).getBody();
    assertThat(WireArray.of(parsed)).isEqualTo(VALUE).isSameAs(WireArray.of(parsed));
    assertThat(WireBytes.bytes(parsed).unsafeArray()).isSameAs(WireArray.of(parsed));
    // What was parsed may be used again by whoever read it.
    message[message.length - 1] = 0;
    assertThat(WireArray.of(parsed)).isEqualTo(VALUE);
  }

  @Test
  void copiesWhatIsNotOneWholeArray() {
    ByteString whole = UnsafeByteOperations.unsafeWrap(VALUE);
    assertThat(WireArray.of(whole.substring(0, 4))).containsExactly(1, 2, 3, 4);
    assertThat(WireArray.of(whole.substring(4))).containsExactly(5, 6, 7, 8, 9);
    byte[] large = new byte[1000];
    ByteString rope = ByteString.copyFrom(large).concat(whole).concat(ByteString.copyFrom(large));
    assertThat(WireArray.of(rope)).isEqualTo(rope.toByteArray());
    assertThat(WireArray.of(ByteString.EMPTY)).isEmpty();
    assertThat(WireArray.of(UnsafeByteOperations.unsafeWrap(ByteBuffer.wrap(VALUE))))
        .isEqualTo(VALUE);
  }
}
