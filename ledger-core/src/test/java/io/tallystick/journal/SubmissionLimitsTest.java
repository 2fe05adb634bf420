package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: what is too large is refused by its size, naming the limit. Method: the largest that is
/// allowed, then one byte or request more.
class SubmissionLimitsTest {
  private final Sample sample = new Sample();
  private final SubmissionVerifier verifier = new SubmissionVerifier(sample.signatures, Set.of());

  @Test
  void acceptsAPayloadOfOneMebibyteAndNoByteMore() throws RequestRejectedException {
    List<SignedRequest> largest = List.of(withPayload(Limits.PAYLOAD_BYTES_MAX));
    Bytes attestation = sample.attest(largest).encode();
    assertThat(verifier.verify(sample.strand, largest, attestation, sample::key).headers())
        .hasSize(1);
    refused(List.of(withPayload(Limits.PAYLOAD_BYTES_MAX + 1)), Limits.PAYLOAD_BYTES_MAX);
  }

  @Test
  void refusesARequestAboveItsLimit() {
    SignedRequest small = sample.requests(1).getFirst();
    Bytes body = Bytes.wrap(new byte[Limits.REQUEST_BYTES_MAX]);
    SignedRequest large = new SignedRequest(small.header(), small.salt(), body);
    refused(List.of(large), Limits.REQUEST_BYTES_MAX);
    assertThat(refused(List.of(small, large), Limits.REQUEST_BYTES_MAX).index()).hasValue(1);
  }

  @Test
  void refusesABatchAboveFourMebibytes() {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      requests.add(withPayload(Limits.PAYLOAD_BYTES_MAX));
    }
    refused(requests, Limits.BATCH_BYTES_MAX);
  }

  @Test
  void refusesABatchAbove10000Requests() {
    SignedRequest request = sample.requests(1).getFirst();
    List<SignedRequest> many = Collections.nCopies(Limits.BATCH_COUNT_MAX + 1, request);
    Bytes attestation = sample.attest(List.of(request)).encode();
    assertThat(refused(many, attestation, Limits.BATCH_COUNT_MAX).index()).isEmpty();
  }

  @Test
  void doesNotPretendToVerifyStateOperations() {
    Set<Feature> features = Set.of(Feature.STATE_FOREST);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SubmissionVerifier(sample.signatures, features));
  }

  /// Built by hand, because honest code refuses to build the larger one.
  private SignedRequest withPayload(int payloadBytes) {
    Bytes salt = sample.salt();
    Bytes body =
        new CborWriter(payloadBytes + 16)
            .array(4)
            .bytes(new byte[payloadBytes])
            .text("")
            .array(0)
            .array(0)
            .toBytes();
    RequestHeader header =
        new RequestHeader(
            sample.strand,
            Kind.APPEND,
            0,
            Sample.TIME_MS,
            Sample.TIME_MS,
            Commitments.body(salt, body),
            body.size(),
            List.of(),
            null,
            0,
            new Extension.None());
    return new SignedRequest(header.encode(), salt, body);
  }

  private RequestRejectedException refused(List<SignedRequest> requests, long limit) {
    return refused(requests, sample.attest(requests).encode(), limit);
  }

  private RequestRejectedException refused(
      List<SignedRequest> requests, Bytes attestation, long limit) {
    List<RequestRejectedException> thrown = new ArrayList<>();
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> verifier.verify(sample.strand, requests, attestation, sample::key))
        .satisfies(thrown::add);
    assertThat(thrown.getFirst().code()).isEqualTo(RejectionCode.TOO_LARGE);
    assertThat(thrown.getFirst().limit()).hasValue(limit);
    return thrown.getFirst();
  }
}
