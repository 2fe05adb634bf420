package io.tallystick.cose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.JdkSignatures;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a member's proof stands alone and for no other request. Method: every member of batches of
/// awkward sizes, then the proof of its neighbour.
class BatchMemberProofTest {
  private static final StrandId STRAND = new StrandId(new LedgerId(Sha256.hash()), 0);

  private final Signatures signatures = new JdkSignatures(new SplittableRandom(3));
  private final Signer signer = signatures.generate(SignatureAlgorithm.ED25519);
  private final PublicKey key = signer.publicKey();

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 13})
  void provesEveryMemberAndNoOther(int count) throws Exception {
    List<Digest> hashes =
        IntStream.range(0, count).mapToObj(i -> Sha256.hash(new byte[] {(byte) i})).toList();
    CoseSign1 batch =
        CoseSign1.detached(
            signer,
            new BatchProtected(key.algorithm(), key.kid(), STRAND, count),
            BatchRoot.over(hashes).digest().toBytes());
    for (int i = 0; i < count; i++) {
      CoseSign1 proof = CoseSign1.decode(BatchMemberProof.of(batch, i, hashes).encode());
      InclusionProof where = BatchMemberProof.verify(proof, STRAND, hashes.get(i), key, signatures);
      assertThat(where.index()).isEqualTo(i);
      assertThat(where.size()).isEqualTo(count);
      Digest other = hashes.get((i + 1) % count);
      assertThatThrownBy(() -> BatchMemberProof.verify(proof, STRAND, other, key, signatures))
          .isInstanceOf(ProofRejectedException.class)
          .hasMessageContaining("BAD_SIGNATURE");
    }
  }
}
