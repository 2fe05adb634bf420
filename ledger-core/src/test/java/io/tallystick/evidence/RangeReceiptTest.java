package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Range receipts on a small real log, and their split into single ones.
class RangeReceiptTest {
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final Signatures signatures = new JdkSignatures(new SplittableRandom(1));
  private final RangeReceipt receipt = log.rangeReceipt(2, 4, 12);
  private final List<Bytes> leaves = log.leaves(2, 4);

  @Test
  void provesEveryRangeUnderEveryHead() throws ProofRejectedException {
    for (int size = 1; size <= log.size(); size++) {
      for (int first = 0; first < size; first++) {
        int count = 1 + (first * 7 + size) % (size - first);
        SignedHead head = verify(log.rangeReceipt(first, count, size), log.leaves(first, count));
        assertThat(head.size().value()).isEqualTo(size);
        assertThat(head.root()).isEqualTo(log.rootAt(size));
      }
    }
  }

  @Test
  void splitsIntoTheVeryReceiptsTheServiceWouldGive()
      throws ProofRejectedException, MalformedException {
    List<Receipt> receipts = receipt.split(leaves);
    assertThat(receipts).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(receipts.get(i).encode()).isEqualTo(log.receipt(2 + i, 12).encode());
      receipts.get(i).verify(leaves.get(i), log.strand(), log.keys(), signatures);
    }
  }

  @Test
  void encodesWhatItDecodes() throws MalformedException {
    assertThat(RangeReceipt.decode(receipt.encode())).isEqualTo(receipt);
  }

  @Test
  void noticesEveryFlippedBit() {
    Rejections.assertEveryBitCounts(
        receipt.encode(), encoded -> verify(RangeReceipt.decode(encoded), leaves));
    Rejections.assertEveryByteCounts(
        receipt.encode(), encoded -> verify(RangeReceipt.decode(encoded), leaves));
    Rejections.assertEveryBitCounts(
        leaves.getLast(),
        changed -> {
          List<Bytes> others = new ArrayList<>(leaves);
          others.set(3, changed);
          verify(receipt, others);
        });
  }

  @Test
  void rejectsLeavesThatAreNotTheRange() {
    Rejections.assertRejected(Reason.LEAF_MISMATCH, () -> verify(receipt, leaves.subList(0, 3)));
    Rejections.assertRejected(Reason.LEAF_MISMATCH, () -> verify(receipt, log.leaves(2, 5)));
    Rejections.assertRejected(Reason.WRONG_JSN, () -> verify(receipt, log.leaves(3, 4)));
    List<Bytes> turned = new ArrayList<>(leaves);
    Collections.swap(turned, 1, 2);
    Rejections.assertRejected(Reason.WRONG_JSN, () -> verify(receipt, turned));
  }

  @Test
  void isGoodForItsSignedSizeOnly() {
    for (int size = 0; size <= 30; size++) {
      RangeReceipt resized =
          new RangeReceipt(receipt.head(), new RangeProof(2, 4, size, receipt.proof().roots()));
      if (size != 12) {
        Rejections.assertRejected(Reason.WRONG_SIZE, () -> verify(resized, leaves));
        Rejections.assertRejected(Reason.WRONG_SIZE, () -> resized.split(leaves));
      }
    }
  }

  @Test
  void boundsWhatItReads() {
    Rejections.assertMalformed(() -> RangeReceipt.decode(encode(8, RangeProof.COUNT_MAX + 1L, 0)));
    Rejections.assertMalformed(() -> RangeReceipt.decode(encode(8, 1, RangeProof.ROOTS_MAX + 1)));
    Rejections.assertMalformed(() -> RangeReceipt.decode(encode(9, 1, 0)));
  }

  private Bytes encode(int type, long count, int roots) {
    CborWriter out = new CborWriter().array(7).uint(type).uint(2).uint(count).uint(12).array(roots);
    for (int i = 0; i < roots; i++) {
      out.digest(Digest.ZERO);
    }
    return out.bytes(receipt.head().protectedHeader()).bytes(receipt.head().signature()).toBytes();
  }

  private SignedHead verify(RangeReceipt given, List<Bytes> of) throws ProofRejectedException {
    return given.verify(of, log.strand(), log.keys(), signatures);
  }
}
