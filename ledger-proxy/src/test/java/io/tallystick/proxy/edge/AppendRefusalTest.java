package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Problem;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.proxy.rest.HttpStatuses;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: whatever a stranger sends, the answer is a typed problem that names what was wrong, the
/// refusal is counted, the stream lives on and the ledger has no trace. Method: one bad submission
/// each, through a real channel.
class AppendRefusalTest {
  private final MemoryNode node = new MemoryNode();
  private final Fixtures ledger = Fixtures.ledger(System.currentTimeMillis());
  private final LedgerId ledgerId = ledger.params().ledgerId();
  private TestFront front;
  private AppendClient client;

  @BeforeEach
  void start() throws Exception {
    front = new TestFront(node);
    front.create(ledger);
    client = AppendClient.open(front.channel);
  }

  @AfterEach
  void stop() {
    front.close();
  }

  private Problem refusal(Submission submission) throws InterruptedException {
    return refusal(TestFront.append(77, ledgerId, submission));
  }

  private Problem refusal(AppendRequest request) throws InterruptedException {
    long sizeBefore = logSize();
    client.send(request);
    AppendResponse answer = client.nextAnswer();
    assertThat(answer.getId()).isEqualTo(request.getId());
    assertThat(answer.hasProblem()).as("%s", answer).isTrue();
    assertThat(logSize()).isEqualTo(sizeBefore);
    assertThat(front.refusals(answer.getProblem().getCode())).isEqualTo(1);
    assertStreamLives();
    return answer.getProblem();
  }

  private void assertStreamLives() throws InterruptedException {
    client.send(TestFront.append(78, ledgerId, ledger.single(1_000_000)));
    assertThat(client.nextAnswer().getReceipted().getCount()).isEqualTo(1);
  }

  private long logSize() {
    return node.logs.values().iterator().next().size();
  }

  private static void assertCode(Problem problem, RejectionCode code) {
    assertThat(problem.getCode()).as(problem.getDetail()).isEqualTo(code.wire());
    assertThat(problem.getHttpStatus()).isEqualTo(HttpStatuses.of(code));
    assertThat(problem.getDetail()).isNotBlank();
  }

  @Test
  void refusesWrongSignature() throws Exception {
    SignedRequest request = ledger.request(1);
    CoseSign1 good = sign(request, protectedHeader(ProtectedHeader.REQUEST_TYP, false));
    byte[] signature = good.signature().toArray();
    signature[5] ^= 1;
    CoseSign1 bad =
        new CoseSign1(good.protectedHeader(), null, good.payload(), Bytes.copyOf(signature));
    assertCode(refusal(submission(request, bad)), RejectionCode.BAD_SIGNATURE);
  }

  @Test
  void refusesWrongTyp() throws Exception {
    SignedRequest request = ledger.request(1);
    CoseSign1 signed = sign(request, protectedHeader(ProtectedHeader.BATCH_TYP, false));
    assertCode(refusal(submission(request, signed)), RejectionCode.WRONG_TYPE);
  }

  @Test
  void refusesExtraLabel() throws Exception {
    SignedRequest request = ledger.request(1);
    CoseSign1 signed = sign(request, protectedHeader(ProtectedHeader.REQUEST_TYP, true));
    assertCode(refusal(submission(request, signed)), RejectionCode.MALFORMED);
  }

  @Test
  void acceptsTheHandMadeHeaderWithoutExtraLabel() throws Exception {
    SignedRequest request = ledger.request(1);
    CoseSign1 signed = sign(request, protectedHeader(ProtectedHeader.REQUEST_TYP, false));
    client.send(TestFront.append(1, ledgerId, submission(request, signed)));
    assertThat(client.nextAnswer().hasReceipted()).isTrue();
  }

  @Test
  void refusesUnknownKey() throws Exception {
    assertCode(
        refusal(ledger.submission(ledger.request(1), Fixtures.CAROL)), RejectionCode.UNKNOWN_KEY);
  }

  @Test
  void refusesNonCanonicalCbor() throws Exception {
    SignedRequest request = ledger.request(1);
    byte[] header = request.header().toArray();
    // The version 1 as a two-byte integer: same meaning, another encoding.
    byte[] longer = new byte[header.length + 1];
    longer[0] = header[0];
    longer[1] = 0x18;
    System.arraycopy(header, 1, longer, 2, header.length - 1);
    SignedRequest bad = new SignedRequest(Bytes.wrap(longer), request.salt(), request.body());
    assertCode(refusal(ledger.submission(bad, Fixtures.ALICE)), RejectionCode.MALFORMED);
  }

  @Test
  void refusesAllZeroSalt() throws Exception {
    RequestDraft draft = draft(Bytes.utf8("x"), Bytes.copyOf(new byte[32]));
    assertCode(
        refusal(ledger.submission(draft.build(), Fixtures.ALICE)), RejectionCode.SALT_INVALID);
  }

  @Test
  void refusesSaltUsedTwiceInsideABatchAndNamesTheSecond() throws Exception {
    Bytes salt = Fixtures.bytes32("one salt");
    List<SignedRequest> requests =
        List.of(
            ledger.request(1),
            draft(Bytes.utf8("x"), salt).build(),
            draft(Bytes.utf8("y"), salt).build());
    Problem problem = refusal(ledger.submission(requests, Fixtures.ALICE));
    assertCode(problem, RejectionCode.SALT_INVALID);
    assertThat(problem.getIndex()).isEqualTo(2);
  }

  @Test
  void refusesOversizeRequestAndNamesTheLimit() throws Exception {
    SignedRequest request = ledger.request(1);
    SignedRequest big =
        new SignedRequest(
            request.header(), request.salt(), Bytes.wrap(new byte[Limits.REQUEST_BYTES_MAX]));
    Problem problem = refusal(ledger.submission(big, Fixtures.ALICE));
    assertCode(problem, RejectionCode.TOO_LARGE);
    assertThat(problem.getLimit()).isEqualTo((1 << 20) + (64 << 10));
  }

  @Test
  void refusesBatchAboveFourMebibytesAndNamesTheLimit() throws Exception {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      requests.add(draft(Bytes.wrap(new byte[900_000]), Fixtures.bytes32("s" + i)).build());
    }
    Problem problem = refusal(ledger.submission(requests, Fixtures.ALICE));
    assertCode(problem, RejectionCode.TOO_LARGE);
    assertThat(problem.getLimit()).isEqualTo(4 << 20);
  }

  @Test
  void refusesBatchOfMoreThanTenThousandAndNamesTheLimit() throws Exception {
    Submission one = ledger.single(1);
    List<SignedRequest> many = Collections.nCopies(10_001, one.requests().getFirst());
    Problem problem = refusal(new Submission(many, one.attestation()));
    assertCode(problem, RejectionCode.TOO_LARGE);
    assertThat(problem.getLimit()).isEqualTo(10_000);
  }

  @Test
  void refusesWholeBatchForOneBadMemberAndNamesIt() throws Exception {
    Submission good = ledger.batch(1, 5);
    List<SignedRequest> requests = new ArrayList<>(good.requests());
    SignedRequest third = requests.get(3);
    requests.set(3, new SignedRequest(third.header(), third.salt(), ledger.request(9).body()));
    Problem problem = refusal(new Submission(requests, good.attestation()));
    assertCode(problem, RejectionCode.COMMITMENT_MISMATCH);
    assertThat(problem.getIndex()).isEqualTo(3);
  }

  @Test
  void refusesRequestMadeForAnotherLedger() throws Exception {
    Fixtures other = Fixtures.ledger(ledger.timeMs() + 1);
    assertCode(refusal(other.single(1)), RejectionCode.WRONG_LEDGER);
  }

  @Test
  void refusesUnknownLedger() throws Exception {
    Fixtures other = Fixtures.ledger(ledger.timeMs() + 1);
    AppendRequest request = TestFront.append(5, other.params().ledgerId(), other.single(1));
    assertCode(refusal(request), RejectionCode.UNKNOWN_LEDGER);
  }

  @Test
  void takesTheLedgerFromTheFirstHeaderWhenNoneIsNamed() throws Exception {
    AppendRequest unnamed =
        TestFront.append(5, ledgerId, ledger.single(1)).toBuilder().clearLedgerId().build();
    client.send(unnamed);
    assertThat(client.nextAnswer().hasReceipted()).isTrue();
    Fixtures other = Fixtures.ledger(ledger.timeMs() + 1);
    AppendRequest foreign =
        TestFront.append(6, ledgerId, other.single(1)).toBuilder().clearLedgerId().build();
    assertCode(refusal(foreign), RejectionCode.UNKNOWN_LEDGER);
  }

  @Test
  void refusesExpiredRequest() throws Exception {
    long longAgo = System.currentTimeMillis() - 120_000;
    RequestDraft draft =
        RequestDraft.append(ledger.strand(), Bytes.utf8("x"), "", longAgo, Fixtures.bytes32("old"));
    assertCode(refusal(ledger.submission(draft.build(), Fixtures.ALICE)), RejectionCode.EXPIRED);
  }

  @Test
  void refusesRequestFromTheFuture() throws Exception {
    long tomorrow = System.currentTimeMillis() + 86_400_000;
    RequestDraft draft =
        RequestDraft.append(
            ledger.strand(), Bytes.utf8("x"), "", tomorrow, Fixtures.bytes32("new"));
    assertCode(refusal(ledger.submission(draft.build(), Fixtures.ALICE)), RejectionCode.TOO_EARLY);
  }

  @Test
  void refusesMoreThanThirtyDaysToExpiry() throws Exception {
    RequestDraft draft = ledger.draft(1).withExpiry(ledger.timeMs() + 31L * 24 * 60 * 60 * 1000);
    assertCode(
        refusal(ledger.submission(draft.build(), Fixtures.ALICE)), RejectionCode.WINDOW_TOO_LONG);
  }

  @Test
  void refusesCluesWithoutTheFeature() throws Exception {
    RequestDraft draft = ledger.draft(1).withClues(List.of("invoice-7"));
    assertCode(
        refusal(ledger.submission(draft.build(), Fixtures.ALICE)),
        RejectionCode.FEATURE_NOT_ENABLED);
  }

  @Test
  void refusesEmptySubmissionAndMalformedLedgerId() throws Exception {
    Problem empty =
        refusal(AppendRequest.newBuilder().setId(3).setLedgerId(TestFront.id(ledger)).build());
    assertCode(empty, RejectionCode.MALFORMED);
    client.send(
        TestFront.append(4, ledgerId, ledger.single(2)).toBuilder()
            .setLedgerId(ToProto.bytes(Bytes.utf8("short")))
            .build());
    Problem malformed = client.nextAnswer().getProblem();
    assertCode(malformed, RejectionCode.MALFORMED);
    assertThat(malformed.getDetail()).isEqualTo("ledger_id of 5 bytes, want 32");
  }

  @Test
  void passesOnThatTheNodeIsRateLimited() throws Exception {
    node.refuseAppends = RejectionCode.RATE_LIMITED;
    client.send(TestFront.append(4, ledgerId, ledger.single(2)));
    Problem problem = client.nextAnswer().getProblem();
    assertCode(problem, RejectionCode.RATE_LIMITED);
    assertThat(problem.getRetryable()).isTrue();
    assertThat(problem.getRetryAfterMs()).isPositive();
  }

  private RequestDraft draft(Bytes payload, Bytes salt) {
    return RequestDraft.append(ledger.strand(), payload, "", ledger.timeMs(), salt);
  }

  private static Submission submission(SignedRequest request, CoseSign1 signature) {
    return new Submission(List.of(request), Attestation.of(List.of(signature)).encode());
  }

  private static CoseSign1 sign(SignedRequest request, Bytes protectedHeader) {
    Bytes payload = hash(request).toBytes();
    CoseSign1 unsigned = new CoseSign1(protectedHeader, null, payload, Bytes.wrap(new byte[64]));
    byte[] signature = Fixtures.ALICE.sign(unsigned.sigStructure(payload));
    return new CoseSign1(protectedHeader, null, payload, Bytes.wrap(signature));
  }

  private static Digest hash(SignedRequest request) {
    return Fixtures.hashes(List.of(request)).getFirst();
  }

  /// As `docs/formats/signature.md` has it for a request, written by hand.
  private Bytes protectedHeader(String typ, boolean extraLabel) {
    CborWriter out = new CborWriter().map(extraLabel ? 7 : 6);
    out.uint(1).integer(-8).uint(4).digest(Fixtures.ALICE.publicKey().kid());
    out.uint(16).text(typ);
    out.uint(258).integer(-16);
    out.uint(259).text("application/vnd.tallystick.request-header+cbor");
    if (extraLabel) {
      out.uint(300).uint(1);
    }
    out.integer(-70002).array(3).uint(1).digest(ledgerId.digest()).uint(0);
    return out.toBytes();
  }
}
