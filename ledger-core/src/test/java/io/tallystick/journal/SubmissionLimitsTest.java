package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

  /// What passes the sizes is refused for its body, which the header does not commit to.
  @Test
  void countsTheAttestationToASingleRequestAndToTheBatch() {
    List<SignedRequest> one = sample.requests(1);
    Bytes attestation = sample.attest(one).encode();
    int room = Limits.REQUEST_BYTES_MAX - attestation.size();
    refused(List.of(padded(one.getFirst(), room)), attestation, RejectionCode.COMMITMENT_MISMATCH);
    assertThat(
            refused(
                    List.of(padded(one.getFirst(), room + 1)),
                    attestation,
                    Limits.REQUEST_BYTES_MAX)
                .index())
        .isEmpty();

    List<SignedRequest> batch = sample.requests(4);
    Bytes signed = sample.attest(batch).encode();
    List<SignedRequest> largest = new ArrayList<>();
    for (SignedRequest request : batch.subList(0, 3)) {
      largest.add(padded(request, Limits.REQUEST_BYTES_MAX));
    }
    int rest = Limits.BATCH_BYTES_MAX - 3 * Limits.REQUEST_BYTES_MAX - signed.size();
    largest.add(padded(batch.getLast(), rest));
    refused(largest, signed, RejectionCode.COMMITMENT_MISMATCH);
    largest.set(3, padded(batch.getLast(), rest + 1));
    refused(largest, signed, Limits.BATCH_BYTES_MAX);
  }

  @Test
  void callsTheLargestPayloadInABadBodyMalformedNotTooLarge() {
    Bytes salt = sample.salt();
    byte[] body = body(Limits.PAYLOAD_BYTES_MAX).toArray();
    body[0]--;
    List<SignedRequest> requests = List.of(committed(salt, Bytes.wrap(body)));
    refused(requests, sample.attest(requests).encode(), RejectionCode.MALFORMED);
  }

  @Test
  void acceptsABatchOf10000Requests() throws RequestRejectedException {
    List<SignedRequest> requests = sample.requests(Limits.BATCH_COUNT_MAX);
    Bytes attestation = sample.attest(requests).encode();
    assertThat(verifier.verify(sample.strand, requests, attestation, sample::key).headers())
        .hasSize(Limits.BATCH_COUNT_MAX);
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

  /// Built by hand, because honest code refuses to build the larger one.
  private SignedRequest withPayload(int payloadBytes) {
    return committed(sample.salt(), body(payloadBytes));
  }

  private static Bytes body(int payloadBytes) {
    return new CborWriter(payloadBytes + 16)
        .array(4)
        .bytes(new byte[payloadBytes])
        .text("")
        .array(0)
        .array(0)
        .toBytes();
  }

  private SignedRequest committed(Bytes salt, Bytes body) {
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

  /// The same request with as many zero bytes for its body as make it `bytes` long.
  private static SignedRequest padded(SignedRequest request, int bytes) {
    int rest = bytes - request.header().size() - request.salt().size();
    return new SignedRequest(request.header(), request.salt(), Bytes.wrap(new byte[rest]));
  }

  private RequestRejectedException refused(List<SignedRequest> requests, long limit) {
    return refused(requests, sample.attest(requests).encode(), limit);
  }

  private RequestRejectedException refused(
      List<SignedRequest> requests, Bytes attestation, long limit) {
    RequestRejectedException e = refused(requests, attestation, RejectionCode.TOO_LARGE);
    assertThat(e.limit()).hasValue(limit);
    return e;
  }

  private RequestRejectedException refused(
      List<SignedRequest> requests, Bytes attestation, RejectionCode code) {
    List<RequestRejectedException> thrown = new ArrayList<>();
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> verifier.verify(sample.strand, requests, attestation, sample::key))
        .satisfies(thrown::add);
    assertThat(thrown.getFirst().code()).isEqualTo(code);
    return thrown.getFirst();
  }
}
