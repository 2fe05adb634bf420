package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: a request's operations are accepted only if the header commits to exactly them, their keys
/// keep the rules and the body has exactly their values. Method: requests built by the draft, then
/// one thing changed and committed to again, so that only the rule in question is broken.
class OperationsTest {
  private final Sample sample = new Sample();
  private final Bytes salt = sample.salt();
  private final SubmissionVerifier verifier =
      new SubmissionVerifier(sample.signatures, Set.of(Feature.STATE_FOREST));

  private static final List<DraftOp> OPS =
      List.of(
          DraftOp.put(Bytes.utf8("a"), Bytes.utf8("first")),
          new DraftOp.Delete(Bytes.utf8("b"), new Precondition.IfVersion(new Jsn(7))),
          new DraftOp.Put(Bytes.utf8("c"), Bytes.EMPTY, new Precondition.IfAbsent()));

  @Test
  void acceptsWhatTheDraftBuilds() throws Exception {
    SignedRequest request = sample.draft("payload").withOps(OPS).build();
    VerifiedSubmission verified = verify(request);
    assertThat(verified.headers().getFirst().opsCount()).isEqualTo(3);
    assertThat(Ops.decode(request.ops()).values())
        .extracting(op -> op.key().hex())
        .containsExactly("61", "62", "63");
    assertThat(Body.decode(request.body()).values())
        .containsExactly(Bytes.utf8("first"), Bytes.EMPTY);
  }

  @Test
  void refusesOperationsWithoutTheFeature() {
    SubmissionVerifier without = new SubmissionVerifier(sample.signatures, Set.of());
    List<SignedRequest> requests = List.of(sample.draft("payload").withOps(OPS).build());
    Bytes attestation = sample.attest(requests).encode();
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> without.verify(sample.strand, requests, attestation, sample::key))
        .satisfies(e -> assertThat(e.code()).isEqualTo(RejectionCode.FEATURE_NOT_ENABLED));
  }

  @Test
  void refusesOperationsThatTheHeaderDoesNotCommitTo() {
    SignedRequest good = sample.draft("payload").withOps(OPS).build();
    SignedRequest bare = sample.draft("payload").build();
    Bytes others = ops(put("a", "first", 0), put("d", "", 2));
    refused(RejectionCode.COMMITMENT_MISMATCH, with(good, others));
    refused(RejectionCode.COMMITMENT_MISMATCH, with(good, Bytes.EMPTY));
    refused(RejectionCode.COMMITMENT_MISMATCH, with(bare, others));
    refused(RejectionCode.MALFORMED, with(good, Bytes.utf8("no array")));
    refused(RejectionCode.MALFORMED, with(bare, Bytes.fromHex("80")));
  }

  @Test
  void refusesAKeyTwiceEmptyOrTooLong() {
    Op first = put("a", "first", 0);
    RequestRejectedException twice =
        refused(
            RejectionCode.OPERATION_INVALID,
            request(ops(first, first), List.of(Bytes.utf8("first"), Bytes.utf8("first")), 2));
    assertThat(twice).hasMessageContaining("operation 1");
    for (int size : new int[] {0, 257}) {
      Bytes op = rawDelete(new byte[size]);
      RequestRejectedException e =
          refused(RejectionCode.OPERATION_INVALID, request(array(op), List.of(), 1));
      assertThat(e).hasMessageContaining("operation 0 has a key of " + size + " bytes");
      assertThat(e.limit()).hasValue(Limits.KEY_BYTES_MAX);
    }
  }

  @Test
  void refusesMoreThanTenThousand() throws Exception {
    List<DraftOp> many = new ArrayList<>();
    for (int i = 0; i < Limits.OPS_MAX; i++) {
      many.add(DraftOp.delete(Bytes.utf8("key " + i)));
    }
    verify(sample.draft("payload").withOps(many).build());
    many.add(DraftOp.delete(Bytes.utf8("one more")));
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> OpRules.check(many))
        .satisfies(e -> assertThat(e.limit()).hasValue(Limits.OPS_MAX));
  }

  /// The header says the number first, so it does not decode.
  @Test
  void refusesAHeaderOfMoreThanTenThousand() throws Exception {
    SignedRequest most = request(array(rawDelete(new byte[] {1})), List.of(), Limits.OPS_MAX);
    String count = new CborWriter().uint(Limits.OPS_MAX).toBytes().hex();
    String more = new CborWriter().uint(Limits.OPS_MAX + 1).toBytes().hex();
    String header = most.header().hex();
    int at = header.lastIndexOf(count);
    Bytes changed =
        Bytes.fromHex(header.substring(0, at) + more + header.substring(at + count.length()));
    RequestRejectedException e =
        refused(
            RejectionCode.OPERATION_INVALID,
            new SignedRequest(changed, most.salt(), most.body(), most.ops()));
    assertThat(e).hasMessageContaining("10001 operations");
    assertThat(e.limit()).hasValue(Limits.OPS_MAX);
  }

  /// So does the body, which says the number of its values first.
  @Test
  void refusesABodyOfMoreThanTenThousandValues() {
    for (int count : new int[] {Limits.OPS_MAX + 1, 70_000}) {
      CborWriter body = new CborWriter().array(4).bytes(new byte[0]).text("").array(1).text("clue");
      body.array(count);
      for (int i = 0; i < count; i++) {
        body.bytes(new byte[0]);
      }
      RequestRejectedException e =
          refused(
              RejectionCode.OPERATION_INVALID,
              requestOf(ops(put("a", "", 0)), body.toBytes(), Limits.OPS_MAX));
      assertThat(e).hasMessageContaining(count + " values, at most 10000");
      assertThat(e.limit()).hasValue(Limits.OPS_MAX);
    }
  }

  @Test
  void refusesValuesThatDoNotFitTheirPuts() {
    Bytes ops = ops(put("a", "first", 0));
    Bytes first = Bytes.utf8("first");
    refused(RejectionCode.OPERATION_INVALID, request(ops, List.of(), 1));
    refused(RejectionCode.OPERATION_INVALID, request(ops, List.of(first, first), 1));
    refused(RejectionCode.OPERATION_INVALID, request(ops, List.of(Bytes.utf8("longer")), 1));
    refused(RejectionCode.COMMITMENT_MISMATCH, request(ops, List.of(Bytes.utf8("other")), 1));
    refused(RejectionCode.COMMITMENT_MISMATCH, request(Bytes.EMPTY, List.of(first), 0));
    // The commitment of operation 0 is not that of operation 1.
    Bytes moved =
        ops(new Op.Delete(Bytes.utf8("b"), new Precondition.None()), put("a", "first", 0));
    refused(RejectionCode.COMMITMENT_MISMATCH, request(moved, List.of(first), 2));
  }

  private VerifiedSubmission verify(SignedRequest request) throws RequestRejectedException {
    List<SignedRequest> requests = List.of(request);
    return verifier.verify(sample.strand, requests, sample.attest(requests).encode(), sample::key);
  }

  private RequestRejectedException refused(RejectionCode code, SignedRequest request) {
    try {
      verify(request);
    } catch (RequestRejectedException e) {
      assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
      return e;
    }
    throw new AssertionError("accepted, want " + code);
  }

  private static SignedRequest with(SignedRequest request, Bytes ops) {
    return new SignedRequest(request.header(), request.salt(), request.body(), ops);
  }

  private Op put(String key, String value, int index) {
    return DraftOp.put(Bytes.utf8(key), Bytes.utf8(value)).commit(salt, index);
  }

  private static Bytes ops(Op... ops) {
    return array(List.of(ops).stream().map(Op::encode).toArray(Bytes[]::new));
  }

  private static Bytes array(Bytes... encoded) {
    CborWriter out = new CborWriter().array(encoded.length);
    List.of(encoded).forEach(out::raw);
    return out.toBytes();
  }

  private static Bytes rawDelete(byte[] key) {
    return new CborWriter().array(6).uint(7).uint(2).bytes(key).nil().uint(0).nil().toBytes();
  }

  /// A request whose header commits to all of it, whatever rule the operations break.
  private SignedRequest request(Bytes ops, List<Bytes> values, int count) {
    return requestOf(ops, new Body(Bytes.EMPTY, "", List.of(), values).encode(), count);
  }

  private SignedRequest requestOf(Bytes ops, Bytes body, int count) {
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
            root(ops),
            count,
            Extension.None.INSTANCE);
    return new SignedRequest(header.encode(), salt, body, ops);
  }

  private static @Nullable OpsRoot root(Bytes ops) {
    try {
      return Ops.decode(ops).root();
    } catch (MalformedException e) {
      return new OpsRoot(Digest.ZERO);
    }
  }
}
