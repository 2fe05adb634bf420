package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: two hundred signers cost what they are worth and no more. Method: a closing by 200 owners,
/// with a verifier that counts; then one of the keys is unknown, or the kind takes only 16.
class AttestationOrderTest {
  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final List<SeededSigner> OWNERS =
      IntStream.range(0, Limits.SIGNERS_OF_ALL_MAX)
          .mapToObj(i -> SeededSigner.ed25519("owner " + i))
          .sorted(Comparator.comparing(signer -> signer.publicKey().kid()))
          .toList();

  private final AtomicInteger verified = new AtomicInteger();
  private final Signatures counting = counting();

  @Test
  void twoHundredOwnersCloseALedgerWithinTheLimitOfBytes() throws Exception {
    Submission close = submission(Kind.CLOSE, Extension.Close.INSTANCE);
    assertThat(close.attestation().size()).isLessThanOrEqualTo(Limits.ATTESTATION_BYTES_MAX);
    assertThat(verify(close, OWNERS)).hasSize(200);
    assertThat(verified).hasValue(200);
  }

  @Test
  void everyKidIsLookedUpBeforeASignatureIsVerified() {
    Submission close = submission(Kind.CLOSE, Extension.Close.INSTANCE);
    assertThatThrownBy(() -> verify(close, OWNERS.subList(0, 199)))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("NOT_A_MEMBER")
        .hasMessageContaining(OWNERS.getLast().publicKey().kid().toString());
    assertThat(verified).hasValue(0);
  }

  @Test
  void anotherKindTakesNoMoreThanSixteenWhateverTheAttestationWasReadAs() {
    Digest kid = OWNERS.getFirst().publicKey().kid();
    Submission revoke = submission(Kind.MEMBER_REVOKE, new Extension.MemberRevoke(kid));
    assertThatThrownBy(() -> verify(revoke, OWNERS))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("200 signatures of kind 17, at most 16");
    assertThat(verified).hasValue(0);
  }

  private static Submission submission(Kind kind, Extension extension) {
    return LEDGER.govern(kind, extension, OWNERS.toArray(SeededSigner[]::new));
  }

  private List<AttestationVerifier.Signer> verify(Submission submission, List<SeededSigner> known)
      throws Exception {
    Bytes header = submission.requests().getFirst().header();
    return AttestationVerifier.verify(
        LEDGER.strand(),
        List.of(RequestHeader.decode(header)),
        List.of(RequestHeader.hash(header)),
        Attestation.decode(submission.attestation(), Kind.CLOSE),
        kid ->
            known.stream()
                .map(SeededSigner::publicKey)
                .filter(key -> key.kid().equals(kid))
                .findFirst(),
        counting);
  }

  private Signatures counting() {
    Signatures jdk = new JdkSignatures(new SplittableRandom(1));
    return new Signatures() {
      @Override
      public String providerName() {
        return "counting";
      }

      @Override
      public void checkKey(PublicKey key) throws ProofRejectedException {
        jdk.checkKey(key);
      }

      @Override
      public void verify(PublicKey key, byte[] message, byte[] signature)
          throws ProofRejectedException {
        verified.incrementAndGet();
        jdk.verify(key, message, signature);
      }

      @Override
      public ExportableSigner generate(SignatureAlgorithm algorithm) {
        return jdk.generate(algorithm);
      }

      @Override
      public ExportableSigner importPkcs8(byte[] pkcs8)
          throws io.tallystick.model.MalformedException {
        return jdk.importPkcs8(pkcs8);
      }
    };
  }
}
