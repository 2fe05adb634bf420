package io.tallystick.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/// Goal: no input makes a decoder of evidence do anything but accept the one encoding or throw
/// {@link MalformedException}, and no decoded proof makes its verifier do anything but compute or
/// reject. Method: Jazzer with `JAZZER_FUZZ=1`; without it the corpus in `src/test/resources`.
class ProofFuzzTest {
  private static final Digest LEAF = TreeHasher.leafHash(Bytes.utf8("leaf"));

  @FuzzTest
  void note(byte[] input) {
    try {
      SignedNote note = SignedNote.decode(Bytes.copyOf(input));
      assertThat(note.encode().toArray()).isEqualTo(input);
    } catch (MalformedException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    }
  }

  @FuzzTest
  void checkpoint(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    try {
      assertThat(Checkpoint.parse(text).text()).isEqualTo(text);
    } catch (MalformedException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    }
  }

  @FuzzTest
  void receipt(byte[] input) {
    try {
      Receipt receipt = Receipt.decode(Bytes.copyOf(input));
      assertThat(receipt.encode().toArray()).isEqualTo(input);
      receipt.proof().rootFrom(LEAF);
      receipt.head().header();
    } catch (MalformedException | ProofRejectedException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    }
  }

  @FuzzTest
  void receiptFile(byte[] input) {
    try {
      assertThat(ReceiptFile.decode(Bytes.copyOf(input)).encode().toArray()).isEqualTo(input);
    } catch (MalformedException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    }
  }

  @FuzzTest
  void rangeReceipt(byte[] input) {
    try {
      RangeReceipt receipt = RangeReceipt.decode(Bytes.copyOf(input));
      assertThat(receipt.encode().toArray()).isEqualTo(input);
      int count = receipt.proof().count();
      List<Digest> leaves = Collections.nCopies(count, LEAF);
      receipt.proof().rootFrom(leaves);
      assertThat(receipt.proof().split(leaves)).hasSize(count);
    } catch (MalformedException | ProofRejectedException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    }
  }

  @FuzzTest
  void forkEvidence(byte[] input) {
    try {
      assertThat(ForkEvidence.decode(Bytes.copyOf(input)).encode().toArray()).isEqualTo(input);
    } catch (MalformedException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    }
  }
}
