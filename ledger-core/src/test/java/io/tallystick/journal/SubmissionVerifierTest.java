package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: a submission is taken whole and as signed, or refused by the right code. Method: a good
/// one, then the same with one thing changed. The golden vectors hold many more.
class SubmissionVerifierTest {
  private final Sample sample = new Sample();
  private final SubmissionVerifier verifier = new SubmissionVerifier(sample.signatures, Set.of());

  @Test
  void acceptsOneRequestWithTwoSigners() throws RequestRejectedException {
    List<SignedRequest> requests = sample.requests(1);
    VerifiedSubmission submission = verify(requests, sample.attest(requests).encode());
    assertThat(submission.batch()).isFalse();
    assertThat(submission.requestHashes()).isEqualTo(Sample.hashes(requests));
    assertThat(submission.signerKids())
        .isEqualTo(sample.owners.stream().map(owner -> owner.publicKey().kid()).toList());
  }

  @Test
  void acceptsABatch() throws RequestRejectedException {
    List<SignedRequest> requests = sample.requests(5);
    VerifiedSubmission submission = verify(requests, sample.attest(requests).encode());
    assertThat(submission.batch()).isTrue();
    assertThat(submission.headers()).hasSize(5);
    assertThat(submission.signatureIds()).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void answersForASingleSigner() throws RequestRejectedException {
    List<SignedRequest> requests = sample.requests(1);
    List<Signer> one = sample.owners.subList(0, 1);
    Attestation attestation =
        RequestSigner.sign(sample.strand, Sample.hashes(requests).getFirst(), one);
    VerifiedSubmission submission = verify(requests, attestation.encode());
    assertThat(submission.signerKids()).containsExactly(one.getFirst().publicKey().kid());
    assertThat(submission.signatureIds())
        .containsExactly(
            attestation
                .signatures()
                .getFirst()
                .signatureId(Sample.hashes(requests).getFirst().toBytes()));
  }

  @Test
  void remembersABatchUntilItsLastRequestExpires() throws RequestRejectedException {
    List<SignedRequest> requests = new ArrayList<>();
    for (long lifeMs : new long[] {10, 50, 20}) {
      requests.add(sample.draft("x").withExpiry(Sample.TIME_MS + lifeMs).build());
    }
    assertThat(verify(requests, sample.attest(requests).encode()).latestExpiryMs())
        .isEqualTo(Sample.TIME_MS + 50);
  }

  @Test
  void namesTheKeyThatIsNoMembers() {
    List<SignedRequest> requests = sample.requests(1);
    Bytes attestation = sample.attest(requests).encode();
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(
            () -> verifier.verify(sample.strand, requests, attestation, kid -> Optional.empty()))
        .withMessage("signature: no member has key " + sample.owners.getFirst().publicKey().kid())
        .satisfies(e -> assertThat(e.code()).isEqualTo(RejectionCode.UNKNOWN_KEY));
  }

  @Test
  void acceptsAMemberAdd() throws RequestRejectedException {
    Signer added = sample.signatures.generate(SignatureAlgorithm.ED25519);
    Extension extension = new Extension.MemberAdd(Role.NORMAL, added.publicKey());
    List<SignedRequest> requests = List.of(govern(extension));
    assertThat(verify(requests, sample.attest(requests).encode()).headers().getFirst().extension())
        .isEqualTo(extension);
  }

  @Test
  void refusesAMemberAddInABatch() {
    Signer added = sample.signatures.generate(SignatureAlgorithm.ED25519);
    List<SignedRequest> requests = new ArrayList<>(sample.requests(2));
    requests.add(govern(new Extension.MemberAdd(Role.NORMAL, added.publicKey())));
    RequestRejectedException e = refused(requests, RejectionCode.BATCH_INVALID);
    assertThat(e.index()).hasValue(2);
  }

  @Test
  void refusesOneBadBodyOfABatchAndNamesIt() {
    List<SignedRequest> requests = new ArrayList<>(sample.requests(3));
    SignedRequest good = requests.get(1);
    byte[] body = good.body().toArray();
    body[5] ^= 1;
    requests.set(1, new SignedRequest(good.header(), good.salt(), Bytes.wrap(body)));
    assertThat(refused(requests, RejectionCode.COMMITMENT_MISMATCH).index()).hasValue(1);
  }

  @Test
  void refusesAControlCharacterInAContentTypeAndNamesThePlace() {
    for (char control : new char[] {'\0', '\n', 0x1b, 0x7f, 0x9f}) {
      List<SignedRequest> requests = new ArrayList<>(sample.requests(2));
      requests.add(typed("text/plain" + control));
      RequestRejectedException e = refused(requests, RejectionCode.MALFORMED);
      assertThat(e.index()).hasValue(2);
      assertThat(e).hasMessageContaining("content type").hasMessageContaining("at 10");
    }
  }

  /// What stands in a log was taken once, and stays what it is.
  @Test
  void stillReadsABodyWithAControlCharacterInItsContentType() throws Exception {
    Body body = Body.decode(typed("a\nb").body());
    assertThat(body.contentType()).isEqualTo("a\nb");
  }

  @Test
  void takesAContentTypeWithoutControlCharacters() throws RequestRejectedException {
    for (String type : new String[] {"", "text/plain; charset=utf-8", " ~\u00a0\u2026"}) {
      List<SignedRequest> requests = List.of(typed(type));
      assertThat(verify(requests, sample.attest(requests).encode()).headers()).hasSize(1);
    }
  }

  private SignedRequest typed(String contentType) {
    return RequestDraft.append(
            sample.strand, Bytes.utf8("x"), contentType, Sample.TIME_MS, sample.salt())
        .build();
  }

  @Test
  void refusesASaltUsedTwice() {
    Bytes salt = sample.salt();
    RequestDraft one = sample.draft("one");
    List<SignedRequest> requests = new ArrayList<>();
    for (long seq = 0; seq < 2; seq++) {
      requests.add(
          RequestDraft.append(sample.strand, one.payload(), "", Sample.TIME_MS, salt)
              .withClientSeq(seq)
              .build());
    }
    assertThat(refused(requests, RejectionCode.SALT_INVALID).index()).hasValue(1);
  }

  @Test
  void refusesCluesWithoutTheClueTrie() throws RequestRejectedException {
    List<SignedRequest> requests =
        List.of(sample.draft("x").withClues(List.of("a", "b", "c")).build());
    assertThat(refused(requests, RejectionCode.FEATURE_NOT_ENABLED))
        .hasMessageContaining("3 clues need feature 1 (CLUE_TRIE)");
    SubmissionVerifier withClues =
        new SubmissionVerifier(sample.signatures, Set.of(Feature.CLUE_TRIE));
    Bytes attestation = sample.attest(requests).encode();
    assertThat(withClues.verify(sample.strand, requests, attestation, sample::key).headers())
        .hasSize(1);
  }

  @Test
  void refusesAnotherLedgersRequest() {
    List<SignedRequest> requests = sample.requests(1);
    StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
    Bytes attestation = sample.attest(requests).encode();
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> verifier.verify(other, requests, attestation, sample::key))
        .satisfies(e -> assertThat(e.code()).isEqualTo(RejectionCode.WRONG_LEDGER));
  }

  private SignedRequest govern(Extension extension) {
    return RequestDraft.govern(
            sample.strand, Kind.MEMBER_ADD, extension, Sample.TIME_MS, sample.salt())
        .build();
  }

  private VerifiedSubmission verify(List<SignedRequest> requests, Bytes attestation)
      throws RequestRejectedException {
    return verifier.verify(sample.strand, requests, attestation, sample::key);
  }

  private RequestRejectedException refused(List<SignedRequest> requests, RejectionCode code) {
    Bytes attestation = sample.attest(requests).encode();
    List<RequestRejectedException> thrown = new ArrayList<>();
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> verify(requests, attestation))
        .satisfies(thrown::add);
    assertThat(thrown.getFirst().code()).isEqualTo(code);
    return thrown.getFirst();
  }
}
