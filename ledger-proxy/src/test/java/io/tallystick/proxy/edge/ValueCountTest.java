package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.SignedRequest;
import io.tallystick.testkit.Seeded;
import java.util.Collections;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Goal: what would make too many objects is known before any is made, and nothing is refused that
/// the limits of the service allow. Method: messages at both sides, and damaged ones.
class ValueCountTest {
  private static final int FIELD_OF_MORE = 7;
  private static final int FIELD_OF_REQUESTS = 2;
  private static final int UNKNOWN = 19;

  private static boolean isExceeded(Message message) {
    byte[] bytes = message.toByteArray();
    return ValueCount.of(message.getDescriptorForType()).isExceededBy(bytes, bytes.length);
  }

  private static AppendRequest batch(int requests) {
    ByteString bytes = ByteString.copyFrom(new byte[40]);
    SignedRequest request =
        SignedRequest.newBuilder().setHeader(bytes).setSalt(bytes).setBody(bytes).build();
    return AppendRequest.newBuilder()
        .setId(1)
        .setAttestation(bytes)
        .addAllRequests(Collections.nCopies(requests, request))
        .build();
  }

  /// So many empty messages in one field, two bytes each.
  private static AppendRequest empties(int field, int count) throws Exception {
    byte[] bytes = new byte[2 * count];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (int i = 0; i < count; i++) {
      out.writeByteArray(field, new byte[0]);
    }
    return AppendRequest.parseFrom(bytes);
  }

  @Test
  void letsThroughTheLargestBatchAndTheLargestPack() {
    assertThat(isExceeded(batch(10_000))).isFalse();
    assertThat(
            isExceeded(
                AppendRequest.newBuilder()
                    .addAllMore(Collections.nCopies(1_023, batch(24)))
                    .build()))
        .isFalse();
  }

  @Test
  void findsTooManyWhereverTheyAre() throws Exception {
    assertThat(isExceeded(empties(FIELD_OF_MORE, ValueCount.VALUES_MAX))).isFalse();
    assertThat(isExceeded(empties(FIELD_OF_MORE, ValueCount.VALUES_MAX + 1))).isTrue();
    assertThat(isExceeded(empties(FIELD_OF_REQUESTS, ValueCount.VALUES_MAX + 1))).isTrue();
    AppendRequest within =
        AppendRequest.newBuilder()
            .addMore(empties(FIELD_OF_REQUESTS, 90_000))
            .addMore(empties(FIELD_OF_REQUESTS, 90_000))
            .build();
    assertThat(isExceeded(within)).isTrue();
  }

  @Test
  void countsWhatNobodyKnowsAndNumbersThatShareATag() {
    UnknownFieldSet.Field.Builder many = UnknownFieldSet.Field.newBuilder();
    LongStream.range(0, ValueCount.VALUES_MAX + 1).forEach(many::addVarint);
    assertThat(
            isExceeded(
                AppendRequest.newBuilder()
                    .setUnknownFields(
                        UnknownFieldSet.newBuilder().addField(UNKNOWN, many.build()).build())
                    .build()))
        .isTrue();
    assertThat(
            isExceeded(
                GetJournalsRequest.newBuilder()
                    .addAllJsn(Collections.nCopies(ValueCount.VALUES_MAX + 1, 1L))
                    .build()))
        .isTrue();
  }

  @Test
  void leavesLongBytesAlone() {
    ByteString body = ByteString.copyFrom(new byte[1 << 20]);
    assertThat(
            isExceeded(
                AppendRequest.newBuilder()
                    .addRequests(SignedRequest.newBuilder().setBody(body))
                    .build()))
        .isFalse();
  }

  @Test
  void endsAtAnyDepth() {
    // Each two bytes are the head of a message that is said to hold all that follows.
    byte[] deep = new byte[1 << 20];
    for (int at = deep.length - 4; at >= 0; at -= 4) {
      int length = deep.length - 4 - at;
      deep[at] = (FIELD_OF_MORE << 3) | 2;
      deep[at + 1] = (byte) ((length & 0x7F) | 0x80);
      deep[at + 2] = (byte) (((length >> 7) & 0x7F) | 0x80);
      deep[at + 3] = (byte) ((length >> 14) & 0x7F);
    }
    ValueCount values = ValueCount.of(AppendRequest.getDescriptor());
    assertThatCode(() -> values.isExceededBy(deep, deep.length)).doesNotThrowAnyException();
  }

  @Seeded(runs = 200)
  void takesAnyBytes(SplittableRandom random) {
    byte[] bytes = new byte[ValueCount.VALUES_MAX + 1 + random.nextInt(1_000)];
    random.nextBytes(bytes);
    ValueCount values = ValueCount.of(AppendRequest.getDescriptor());
    assertThatCode(() -> values.isExceededBy(bytes, bytes.length)).doesNotThrowAnyException();
  }
}
