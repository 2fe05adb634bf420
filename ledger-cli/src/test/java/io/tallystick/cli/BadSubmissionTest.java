package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Codec;
import io.grpc.Metadata;
import io.grpc.Status;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.cbor.CborWriter;
import io.tallystick.client.ClientKey;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.Role;
import io.tallystick.proxy.rest.HttpStatuses;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whatever is submitted to the real service, the answer is a typed problem that names what
/// was wrong and the limit, a counter moves, and the ledger has no trace. Method: one bad
/// submission each over gRPC; size before and after, and an audit at the end.
class BadSubmissionTest {
  private static final int REQUEST_BYTES_MAX = (1 << 20) + (64 << 10);
  private static final long WINDOW_MS_MAX = 30_000;
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  @TempDir private static Path data;
  private static LiveService live;

  private Fixtures ledger;

  @BeforeAll
  static void start() throws Exception {
    live = new LiveService(data);
  }

  @BeforeEach
  void dateRequests() {
    ledger = live.now();
  }

  @AfterAll
  static void auditAndStop() throws Exception {
    try {
      Audits.pass(live.service.target(), live.id(), ClientKey.of(Fixtures.ALICE));
    } finally {
      live.close();
    }
  }

  private static Problem refused(Submission submission, RejectionCode code) throws Exception {
    return refused(live.request(submission).build(), code);
  }

  private static Problem refused(AppendRequest request, RejectionCode code) throws Exception {
    double countBefore = live.refusals(code.wire());
    long sizeBefore = live.size();
    AppendResponse answer = live.append(request);
    assertThat(answer.hasProblem()).as("%s", answer).isTrue();
    Problem problem = answer.getProblem();
    assertThat(problem.getCode()).as(problem.getDetail()).isEqualTo(code.wire());
    assertThat(problem.getHttpStatus()).isEqualTo(HttpStatuses.of(code));
    assertThat(problem.getDetail()).isNotBlank();
    assertThat(live.refusals(code.wire())).isEqualTo(countBefore + 1);
    assertThat(live.size()).isEqualTo(sizeBefore);
    return problem;
  }

  private static void accepted(Submission submission) throws Exception {
    AppendResponse answer = live.append(submission);
    assertThat(answer.hasReceipted()).as("%s", answer).isTrue();
  }

  private SignedRequest request() {
    return ledger.request(NUMBERS.incrementAndGet());
  }

  private RequestDraft draft() {
    return ledger.draft(NUMBERS.incrementAndGet());
  }

  private Submission byAlice(RequestDraft draft) {
    return ledger.submission(draft.build(), Fixtures.ALICE);
  }

  private List<SignedRequest> requests(int count) {
    return ledger.requests(NUMBERS.getAndAdd(count + 1), count);
  }

  // ---- signatures and keys

  @Test
  void refusesWrongSignature() throws Exception {
    SignedRequest request = request();
    CoseSign1 good = sign(request, ProtectedHeader.REQUEST_TYP, false);
    byte[] signature = good.signature().toArray();
    signature[5] ^= 1;
    CoseSign1 bad =
        new CoseSign1(good.protectedHeader(), null, good.payload(), Bytes.copyOf(signature));
    refused(submission(request, bad), RejectionCode.BAD_SIGNATURE);
  }

  @Test
  void refusesSignatureOfAnotherRequest() throws Exception {
    Submission other = ledger.submission(request(), Fixtures.ALICE);
    refused(
        new Submission(List.of(request()), other.attestation()), RejectionCode.COMMITMENT_MISMATCH);
  }

  @Test
  void refusesWrongTypAndExtraLabelButNotTheSameHeaderMadeRight() throws Exception {
    SignedRequest request = request();
    refused(
        submission(request, sign(request, ProtectedHeader.BATCH_TYP, false)),
        RejectionCode.WRONG_TYPE);
    refused(
        submission(request, sign(request, ProtectedHeader.REQUEST_TYP, true)),
        RejectionCode.MALFORMED);
    accepted(submission(request, sign(request, ProtectedHeader.REQUEST_TYP, false)));
  }

  @Test
  void refusesUnknownKeyAndNamesIt() throws Exception {
    SeededSigner mallory = SeededSigner.ed25519("mallory");
    Problem problem = refused(ledger.submission(request(), mallory), RejectionCode.UNKNOWN_KEY);
    assertThat(problem.getDetail()).contains(mallory.publicKey().kid().hex().substring(0, 8));
  }

  @Test
  void refusesRevokedKey() throws Exception {
    accepted(ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
    accepted(ledger.submission(request(), Fixtures.CAROL));
    accepted(ledger.memberRevoke(Fixtures.CAROL.publicKey().kid()));
    refused(ledger.submission(request(), Fixtures.CAROL), RejectionCode.REVOKED_KEY);
    refused(
        ledger.memberAdd(Role.READ_ONLY, Fixtures.CAROL.publicKey()), RejectionCode.MEMBER_EXISTS);
  }

  // ---- time and repeats

  @Test
  void refusesStaleRequest() throws Exception {
    Fixtures old = new Fixtures(ledger.params(), ledger.timeMs() - 120_000);
    refused(old.single(NUMBERS.incrementAndGet()), RejectionCode.EXPIRED);
  }

  @Test
  void refusesRequestFromTheFuture() throws Exception {
    Fixtures early = new Fixtures(ledger.params(), ledger.timeMs() + 3_600_000);
    refused(early.single(NUMBERS.incrementAndGet()), RejectionCode.TOO_EARLY);
  }

  @Test
  void refusesExpiryBeyondTheLedgersWindowAndNamesIt() throws Exception {
    RequestDraft draft = draft();
    Problem problem =
        refused(
            byAlice(draft.withExpiry(draft.clientTimeMs() + 60_001)),
            RejectionCode.WINDOW_TOO_LONG);
    assertThat(problem.getLimit()).isEqualTo(60_000);
    refused(
        byAlice(draft.withExpiry(draft.clientTimeMs() + TimeUnit.DAYS.toMillis(31))),
        RejectionCode.WINDOW_TOO_LONG);
  }

  @Test
  void answersRepeatInsideItsWindowAndRefusesItOutside() throws Exception {
    AppendResponse first;
    AppendResponse second;
    Submission brief;
    long expiryMs;
    long windowMs = 1_000;
    do { // on a busy machine two appends may take longer than the window
      windowMs *= 2;
      RequestDraft draft = draft();
      expiryMs = draft.clientTimeMs() + windowMs;
      brief = byAlice(draft.withExpiry(expiryMs));
      first = live.append(brief);
      second = live.append(brief);
    } while (!second.hasReceipted() && windowMs < WINDOW_MS_MAX);
    assertThat(second.getReceipted().getRepeated()).as("%s", second).isTrue();
    assertThat(second.getReceipted().getFirstJsn()).isEqualTo(first.getReceipted().getFirstJsn());
    while (System.currentTimeMillis() <= expiryMs) {
      Thread.sleep(10);
    }
    refused(brief, RejectionCode.EXPIRED);
  }

  @Test
  void refusesPartlyRepeatedSetOfSignatures() throws Exception {
    SignedRequest one = request();
    accepted(ledger.submission(one, Fixtures.ALICE));
    refused(ledger.submission(one, Fixtures.ALICE, Fixtures.BOB), RejectionCode.REPLAYED);
    SignedRequest two = request();
    accepted(ledger.submission(two, Fixtures.ALICE, Fixtures.BOB));
    refused(ledger.submission(two, Fixtures.BOB), RejectionCode.REPLAYED);
  }

  // ---- bytes and sizes

  @Test
  void refusesNonCanonicalCbor() throws Exception {
    SignedRequest request = request();
    byte[] header = request.header().toArray();
    // The version 1 as a two-byte integer: same meaning, another encoding.
    byte[] longer = new byte[header.length + 1];
    longer[0] = header[0];
    longer[1] = 0x18;
    System.arraycopy(header, 1, longer, 2, header.length - 1);
    SignedRequest bad = new SignedRequest(Bytes.wrap(longer), request.salt(), request.body());
    refused(ledger.submission(bad, Fixtures.ALICE), RejectionCode.MALFORMED);
  }

  @Test
  void refusesAllZeroSalt() throws Exception {
    refused(byAlice(withSalt(Bytes.wrap(new byte[32]))), RejectionCode.SALT_INVALID);
  }

  @Test
  void refusesSaltUsedTwiceInsideABatchAndNamesTheSecond() throws Exception {
    Bytes salt = Fixtures.bytes32("one salt for two");
    List<SignedRequest> requests =
        List.of(request(), withSalt(salt).build(), withSalt(salt).withClientSeq(9).build());
    Problem problem =
        refused(ledger.submission(requests, Fixtures.ALICE), RejectionCode.SALT_INVALID);
    assertThat(problem.getIndex()).isEqualTo(2);
  }

  @Test
  void refusesOversizeRequestAndNamesTheLimit() throws Exception {
    SignedRequest request = request();
    SignedRequest big =
        new SignedRequest(
            request.header(), request.salt(), Bytes.wrap(new byte[REQUEST_BYTES_MAX]));
    Problem problem = refused(ledger.submission(big, Fixtures.ALICE), RejectionCode.TOO_LARGE);
    assertThat(problem.getLimit()).isEqualTo(REQUEST_BYTES_MAX);
  }

  @Test
  void refusesBatchAboveFourMebibytesAndNamesTheLimit() throws Exception {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Bytes salt = Fixtures.bytes32("large " + i);
      requests.add(
          RequestDraft.append(
                  ledger.strand(), Bytes.wrap(new byte[900_000]), "", ledger.timeMs(), salt)
              .build());
    }
    Problem problem = refused(ledger.submission(requests, Fixtures.ALICE), RejectionCode.TOO_LARGE);
    assertThat(problem.getLimit()).isEqualTo(4 << 20);
  }

  @Test
  void refusesBatchOfMoreThanTenThousandAndNamesTheLimit() throws Exception {
    Submission one = ledger.submission(request(), Fixtures.ALICE);
    List<SignedRequest> many = Collections.nCopies(10_001, one.requests().getFirst());
    Problem problem = refused(new Submission(many, one.attestation()), RejectionCode.TOO_LARGE);
    assertThat(problem.getLimit()).isEqualTo(10_000);
  }

  @Test
  void endsTheStreamAtAMessageTooLongAndNamesTheLimit() throws Exception {
    long sizeBefore = live.size();
    double refusals = live.refusals(RejectionCode.TOO_LARGE.wire());
    Throwable end = endOfStreamWith(new byte[6 << 20], Codec.Identity.NONE);
    tooLarge(end);
    assertThat(live.refusals(RejectionCode.TOO_LARGE.wire())).isEqualTo(refusals + 1);
    assertThat(live.size()).isEqualTo(sizeBefore);
  }

  /// The one is above what a message may have, the other above what is read at all.
  @Test
  void endsTheStreamAtAMessageThatIsTooLongOnceItIsUnpacked() throws Exception {
    long sizeBefore = live.size();
    double refusals = live.refusals(RejectionCode.TOO_LARGE.wire());
    tooLarge(endOfStreamWith(new byte[6 << 20], new Codec.Gzip()));
    tooLarge(endOfStreamWith(new byte[9 << 20], new Codec.Gzip()));
    assertThat(live.refusals(RejectionCode.TOO_LARGE.wire())).isEqualTo(refusals + 2);
    assertThat(live.size()).isEqualTo(sizeBefore);
  }

  private static void tooLarge(Throwable end) {
    assertThat(Status.fromThrowable(end).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    Metadata trailers = Objects.requireNonNull(Status.trailersFromThrowable(end));
    Problem problem = Objects.requireNonNull(trailers.get(ProblemTrailer.KEY));
    assertThat(problem.getCode()).isEqualTo(RejectionCode.TOO_LARGE.wire());
    assertThat(problem.getLimit()).isEqualTo(5 << 20);
  }

  /// The transport ends it before it is read; it is counted all the same.
  @Test
  void countsAMessageTooLongToBeReadAtAll() throws Exception {
    double refusals = live.refusals(RejectionCode.TOO_LARGE.wire());
    Throwable end = endOfStreamWith(new byte[9 << 20], Codec.Identity.NONE);
    assertThat(Status.fromThrowable(end).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    Waiting.until(
        "it is counted", () -> live.refusals(RejectionCode.TOO_LARGE.wire()) == refusals + 1);
  }

  private Throwable endOfStreamWith(byte[] body, Codec codec) throws Exception {
    SignedRequest request = request();
    SignedRequest huge = new SignedRequest(request.header(), request.salt(), Bytes.wrap(body));
    AppendStream stream =
        new AppendStream(
            JournalServiceGrpc.newStub(live.channel).withCompression(codec.getMessageEncoding()));
    stream.send(live.request(ledger.submission(huge, Fixtures.ALICE)).build());
    return stream.end.handle((_, failure) -> failure).get(60, TimeUnit.SECONDS);
  }

  @Test
  void refusesAControlCharacterInAContentType() throws Exception {
    RequestDraft draft =
        RequestDraft.append(
            ledger.strand(),
            Bytes.utf8("x"),
            "text/plain\u001b[2J",
            ledger.timeMs(),
            Fixtures.bytes32("typed"));
    assertThat(refused(byAlice(draft), RejectionCode.MALFORMED).getDetail())
        .contains("content type", "0x1b");
  }

  // ---- batches

  @Test
  void refusesWholeBatchForOneBadMemberAndNamesIt() throws Exception {
    List<SignedRequest> requests = new ArrayList<>(requests(5));
    Submission good = ledger.submission(requests, Fixtures.ALICE);
    SignedRequest third = requests.get(3);
    requests.set(3, new SignedRequest(third.header(), third.salt(), request().body()));
    Problem problem =
        refused(new Submission(requests, good.attestation()), RejectionCode.COMMITMENT_MISMATCH);
    assertThat(problem.getIndex()).isEqualTo(3);
  }

  @Test
  void refusesWholeBatchForOneStaleMemberAndNamesIt() throws Exception {
    List<SignedRequest> requests = new ArrayList<>(requests(4));
    Fixtures old = new Fixtures(ledger.params(), ledger.timeMs() - 120_000);
    requests.set(2, old.request(NUMBERS.incrementAndGet()));
    Problem problem = refused(ledger.submission(requests, Fixtures.ALICE), RejectionCode.EXPIRED);
    assertThat(problem.getIndex()).isEqualTo(2);
    RequestDraft far = draft();
    requests.set(2, far.withExpiry(far.clientTimeMs() + 70_000).build());
    problem = refused(ledger.submission(requests, Fixtures.ALICE), RejectionCode.WINDOW_TOO_LONG);
    assertThat(problem.getIndex()).isEqualTo(2);
  }

  @Test
  void refusesTheSameRequestTwiceInABatch() throws Exception {
    SignedRequest twin = request();
    List<SignedRequest> requests = List.of(twin, request(), twin);
    Problem problem = live.append(ledger.submission(requests, Fixtures.ALICE)).getProblem();
    assertThat(problem.getCode()).isIn("batch_invalid", "salt_invalid");
    assertThat(problem.getIndex()).isEqualTo(2);
  }

  // ---- places

  @Test
  void refusesAnotherLedgersRequestAndUnknownLedger() throws Exception {
    Fixtures other = Fixtures.ledger(ledger.timeMs());
    Submission foreign = other.single(1);
    refused(foreign, RejectionCode.WRONG_LEDGER);
    refused(live.request(foreign).clearLedgerId().build(), RejectionCode.UNKNOWN_LEDGER);
  }

  @Test
  void refusesAnotherStrand() throws Exception {
    refused(
        live.request(ledger.submission(request(), Fixtures.ALICE)).setStrand(1).build(),
        RejectionCode.WRONG_LEDGER);
  }

  private RequestDraft withSalt(Bytes salt) {
    return RequestDraft.append(ledger.strand(), Bytes.utf8("x"), "", ledger.timeMs(), salt);
  }

  private static Submission submission(SignedRequest request, CoseSign1 signature) {
    return new Submission(List.of(request), Attestation.of(List.of(signature)).encode());
  }

  private CoseSign1 sign(SignedRequest request, String typ, boolean extraLabel) {
    Bytes header = protectedHeader(typ, extraLabel);
    Bytes payload = Fixtures.hashes(List.of(request)).getFirst().toBytes();
    CoseSign1 unsigned = new CoseSign1(header, null, payload, Bytes.wrap(new byte[64]));
    byte[] signature = Fixtures.ALICE.sign(unsigned.sigStructure(payload));
    return new CoseSign1(header, null, payload, Bytes.wrap(signature));
  }

  /// As the format has it for a request, written by hand.
  private static Bytes protectedHeader(String typ, boolean extraLabel) {
    CborWriter out = new CborWriter().map(extraLabel ? 7 : 6);
    out.uint(1).integer(-8).uint(4).digest(Fixtures.ALICE.publicKey().kid());
    out.uint(16).text(typ);
    out.uint(258).integer(-16);
    out.uint(259).text("application/vnd.tallystick.request-header+cbor");
    if (extraLabel) {
      out.uint(300).uint(1);
    }
    out.integer(-70002).array(3).uint(1).digest(live.id().digest()).uint(0);
    return out.toBytes();
  }
}
