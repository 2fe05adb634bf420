package io.tallystick.evidence;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.journal.Proposal;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.misbehaviour.Misbehaviour;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/// Goal: no input makes a decoder of evidence do anything but accept the one encoding or throw
/// {@link MalformedException}, and no decoded proof makes its verifier do anything but compute or
/// reject. Method: Jazzer; `docs/testing.md`.
class ProofFuzzTest extends FuzzContract {
  private static final Digest LEAF = TreeHasher.leafHash(Bytes.utf8("leaf"));

  /// The most a proof claims to cover while its verifier is run on that many leaves.
  private static final int LEAVES_MAX = 1 << 10;

  @FuzzTest
  void note(byte[] input) {
    decoder(input, bytes -> SignedNote.decode(bytes).encode());
  }

  @FuzzTest
  void checkpoint(byte[] input) {
    decoder(
        input,
        bytes -> {
          String text = new String(bytes.unsafeArray(), StandardCharsets.UTF_8);
          // Bytes that are no UTF-8 are refused before a checkpoint is looked for.
          if (!Bytes.utf8(text).equals(bytes)) {
            throw new MalformedException("not UTF-8");
          }
          return Bytes.utf8(Checkpoint.parse(text).text());
        });
  }

  @FuzzTest
  void receipt(byte[] input) {
    decoder(
        input,
        bytes -> {
          Receipt receipt = Receipt.decode(bytes);
          receipt.proof().rootFrom(LEAF);
          receipt.head().header();
          return receipt.encode();
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void receiptFile(byte[] input) {
    decoder(input, bytes -> ReceiptFile.decode(bytes).encode());
  }

  @FuzzTest
  void rangeReceipt(byte[] input) {
    decoder(
        input,
        bytes -> {
          RangeReceipt receipt = RangeReceipt.decode(bytes);
          int count = receipt.proof().count();
          List<Digest> leaves = Collections.nCopies(Math.min(count, LEAVES_MAX), LEAF);
          receipt.proof().rootFrom(leaves);
          if (receipt.proof().split(leaves).size() != count) {
            throw new AssertionError("not " + count + " receipts");
          }
          return receipt.encode();
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void forkEvidence(byte[] input) {
    decoder(input, bytes -> ForkEvidence.decode(bytes).encode());
  }

  @FuzzTest
  void keyChain(byte[] input) {
    decoder(input, bytes -> KeyChain.decode(bytes).encode());
  }

  @FuzzTest
  void journalProof(byte[] input) {
    decoder(input, bytes -> JournalProof.decode(bytes).encode());
  }

  @FuzzTest
  void proposal(byte[] input) {
    decoder(input, bytes -> Proposal.decode(bytes).encode());
  }

  @FuzzTest
  void misbehaviour(byte[] input) {
    decoder(input, bytes -> Misbehaviour.decode(bytes).encode());
  }

  @FuzzTest
  void removalCertificate(byte[] input) {
    decoder(input, bytes -> RemovalCertificate.decode(bytes).encode());
  }

  @FuzzTest
  void pseudoGenesis(byte[] input) {
    decoder(input, bytes -> PseudoGenesis.decode(bytes).encode());
  }

  @FuzzTest
  void snapshot(byte[] input) {
    decoder(input, bytes -> Snapshot.decode(bytes).encode());
  }
}
