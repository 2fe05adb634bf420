package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Single receipts and their files on a small real log.
class ReceiptTest {
  private static final int JSN = 3;
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final Signatures signatures = new JdkSignatures(new SplittableRandom(1));
  private final Receipt receipt = log.receipt(JSN, 12);
  private final Bytes leaf = log.leaf(JSN);

  @Test
  void provesEveryLeafUnderEveryHead() throws ProofRejectedException {
    for (int size = 1; size <= log.size(); size++) {
      for (int jsn = 0; jsn < size; jsn++) {
        SignedHead head = verify(log.receipt(jsn, size), log.leaf(jsn));
        assertThat(head.size().value()).isEqualTo(size);
        assertThat(head.root()).isEqualTo(log.rootAt(size));
        assertThat(head.strand()).isEqualTo(log.strand());
      }
    }
  }

  @Test
  void encodesWhatItDecodes() throws MalformedException {
    assertThat(Receipt.decode(receipt.encode())).isEqualTo(receipt);
    ReceiptFile file = new ReceiptFile(leaf, receipt);
    assertThat(ReceiptFile.decode(file.encode())).isEqualTo(file);
  }

  @Test
  void noticesEveryFlippedBit() {
    Rejections.assertEveryBitCounts(
        receipt.encode(), encoded -> verify(Receipt.decode(encoded), leaf));
    Rejections.assertEveryByteCounts(
        receipt.encode(), encoded -> verify(Receipt.decode(encoded), leaf));
    Rejections.assertEveryBitCounts(leaf, changed -> verify(receipt, changed));
    Bytes file = new ReceiptFile(leaf, receipt).encode();
    Rejections.assertEveryBitCounts(file, this::verifyFile);
    Rejections.assertEveryByteCounts(file, this::verifyFile);
  }

  /// With the size unsigned, one receipt passed at five sizes.
  @Test
  void isGoodForItsSignedSizeOnly() {
    for (int size = 0; size <= 3 * log.size(); size++) {
      Receipt resized =
          new Receipt(receipt.head(), new InclusionProof(JSN, size, receipt.proof().path()));
      if (size != 12) {
        Rejections.assertRejected(Reason.WRONG_SIZE, () -> verify(resized, leaf));
      }
    }
  }

  @Test
  void rejectsALeafAtAnIndexThatIsNotItsJsn() {
    Bytes displaced = new CborWriter().array(2).uint(1).uint(JSN + 1).toBytes();
    Rejections.assertRejected(Reason.WRONG_JSN, () -> verify(receipt, displaced));
    Rejections.assertRejected(Reason.WRONG_JSN, () -> verify(receipt, log.leaf(JSN + 1)));
  }

  @Test
  void rejectsWhatIsNoLeafOfALog() {
    Bytes entry = new CborWriter().array(2).uint(4).uint(JSN).toBytes();
    Rejections.assertRejected(Reason.WRONG_TYPE, () -> verify(receipt, entry));
    Rejections.assertRejected(Reason.MALFORMED, () -> verify(receipt, Bytes.EMPTY));
    Rejections.assertRejected(Reason.MALFORMED, () -> verify(receipt, Bytes.wrap(new byte[16385])));
  }

  @Test
  void takesTheLongestLeafAndNoByteMore() throws ProofRejectedException {
    verifyOnlyLeaf(16_384);
    Rejections.assertRejected(Reason.MALFORMED, () -> verifyOnlyLeaf(16_385));
  }

  @Test
  void rejectsAnotherLedgerAuthorityOrKey() {
    StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
    ServiceKeys keys = log.keys();
    Rejections.assertRejected(
        Reason.WRONG_LEDGER, () -> receipt.verify(leaf, other, keys, signatures));
    ServiceKeys moved =
        new ServiceKeys(new Authority("elsewhere"), keys.noteKey(), keys.receiptKey());
    Rejections.assertRejected(
        Reason.WRONG_ORIGIN, () -> receipt.verify(leaf, log.strand(), moved, signatures));
    ServiceKeys swapped = new ServiceKeys(keys.authority(), keys.receiptKey(), keys.noteKey());
    Rejections.assertRejected(
        Reason.WRONG_KEY, () -> receipt.verify(leaf, log.strand(), swapped, signatures));
  }

  @Test
  void rejectsAnotherHeadsSignature() {
    Receipt mixed =
        new Receipt(
            new HeadSignature(receipt.head().protectedHeader(), log.headSignature(7).signature()),
            receipt.proof());
    Rejections.assertRejected(Reason.BAD_SIGNATURE, () -> verify(mixed, leaf));
  }

  /// A member's or batch signature, even by the receipt key, is no receipt.
  @Test
  void rejectsASignatureOfAnotherType() {
    Bytes request =
        new RequestProtected(
                SignatureAlgorithm.ED25519, Fixtures.RECEIPT.publicKey().kid(), log.strand())
            .encode();
    Receipt other =
        new Receipt(new HeadSignature(request, receipt.head().signature()), receipt.proof());
    Rejections.assertRejected(Reason.WRONG_TYPE, () -> verify(other, leaf));
  }

  @Test
  void refusesAnAttachedPayloadAndAMissingProof() {
    CoseSign1 statement = receipt.head().statement(log.rootAt(12));
    Rejections.assertMalformed(() -> Receipt.decode(statement.encode()));
    Rejections.assertMalformed(() ->
        Receipt.decode(
            new CoseSign1(statement.protectedHeader(), null, null, statement.signature())
                .encode()));
  }

  @Test
  void signsTheSameHeadIntoTheSameBytes() {
    assertThat(log.headSignature(12)).isEqualTo(log.headSignature(12));
    assertThat(
            HeadSignature.sign(
                Fixtures.RECEIPT,
                log.keys().authority(),
                log.strand(),
                new TreeSize(12),
                log.rootAt(12)))
        .isEqualTo(log.headSignature(12));
  }

  @Test
  void holdsNoLongerHeaderThanAMessageMay() {
    Bytes signature = receipt.head().signature();
    Bytes largest = Bytes.wrap(new byte[CoseSign1.PROTECTED_BYTES_MAX]);
    assertThat(new HeadSignature(largest, signature).protectedHeader()).isEqualTo(largest);
    Bytes larger = Bytes.wrap(new byte[CoseSign1.PROTECTED_BYTES_MAX + 1]);
    assertThatIllegalArgumentException().isThrownBy(() -> new HeadSignature(larger, signature));
  }

  /// A leaf of this many bytes, correctly signed as the only one of its log.
  private void verifyOnlyLeaf(int bytes) throws ProofRejectedException {
    Bytes only = new CborWriter().array(3).uint(1).uint(0).bytes(new byte[bytes - 6]).toBytes();
    assertThat(only.size()).isEqualTo(bytes);
    HeadSignature head =
        HeadSignature.sign(
            Fixtures.RECEIPT,
            log.keys().authority(),
            log.strand(),
            new TreeSize(1),
            new JournalRoot(TreeHasher.leafHash(only)));
    verify(new Receipt(head, new InclusionProof(0, 1, List.of())), only);
  }

  private void verifyFile(Bytes file) throws MalformedException, ProofRejectedException {
    ReceiptFile.decode(file).verify(log.strand(), log.keys(), signatures);
  }

  private SignedHead verify(Receipt given, Bytes of) throws ProofRejectedException {
    return given.verify(of, log.strand(), log.keys(), signatures);
  }
}
