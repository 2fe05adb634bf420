package io.tallystick.tledger;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;
import java.util.Locale;

/// That a head stands in a T-Ledger, as a time journal shows it (proof 2). Source:
/// `docs/formats/t-ledger.md`.
///
/// @param head of the T-Ledger, under which the entry is
/// @param jsn of the entry there
/// @param leafHash of the entry's leaf
/// @param timeMs of the entry's leaf, which takes the place of a token's genTime
public record EntryInclusion(SignedHead head, long jsn, Digest leafHash, long timeMs) {
  /// The one clue that an entry names.
  public static String clue(LedgerId submitter) {
    return submitter.digest().hex();
  }

  /// @param stamped what the time journal says of its own log
  /// @param submitter the ledger of the time journal
  /// @param keys of the T-Ledger's service
  /// @throws ProofRejectedException unless the T-Ledger holds just that head; its reasons are those
  ///   of the receipt, `COMMITMENT_MISMATCH`, `WRONG_TYPE`, `WRONG_CLUE` and `ROOT_MISMATCH`
  public static EntryInclusion verify(
      TimeProof.TLedger proof,
      LedgerId submitter,
      Checkpoint stamped,
      ServiceKeys keys,
      Signatures signatures)
      throws ProofRejectedException {
    StrandId strand = new StrandId(proof.ledger(), 0);
    try {
      ReceiptFile file = ReceiptFile.decode(proof.receiptFile());
      SignedHead head = file.verify(strand, keys, signatures);
      if (!(Leaf.decode(file.leaf()) instanceof JournalLeaf journal)) {
        throw new ProofRejectedException(Reason.WRONG_TYPE, "the receipt is of no journal");
      }
      RequestHeader header = RequestHeader.decode(journal.header());
      if (header.kind() != Kind.APPEND) {
        throw new ProofRejectedException(
            Reason.WRONG_TYPE, "journal " + journal.jsn() + " is of kind " + header.kind());
      }
      if (!header.bodyCommit().equals(Commitments.body(proof.salt(), proof.body()))) {
        throw new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH, "journal " + journal.jsn() + " commits to another Body");
      }
      checkEntry(header, Body.decode(proof.body()), proof.ledger(), submitter, stamped);
      return new EntryInclusion(
          head, journal.jsn().value(), TreeHasher.leafHash(file.leaf()), journal.timeMs());
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "T-Ledger proof: " + e.getMessage(), e);
    }
  }

  private static void checkEntry(
      RequestHeader header, Body body, LedgerId tLedger, LedgerId submitter, Checkpoint stamped)
      throws MalformedException, ProofRejectedException {
    String clue = clue(submitter);
    if (!header.clueIds().equals(List.of(Commitments.clueId(tLedger, clue)))
        || !body.clues().equals(List.of(clue))) {
      throw new ProofRejectedException(
          Reason.WRONG_CLUE, "the entry is not of ledger " + submitter + " alone");
    }
    if (!body.contentType().equals(HeadEntry.CONTENT_TYPE)) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "content type \"" + body.contentType() + "\" is no head entry's");
    }
    Bytes note = HeadEntry.decode(body.payload()).note();
    Checkpoint shown = Checkpoint.parse(SignedNote.decode(note).text());
    if (!shown.equals(stamped)) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(
              Locale.ROOT,
              "the entry is of %s, size %s, root %s; the time journal of size %s, root %s",
              shown.origin(),
              shown.size(),
              shown.root(),
              stamped.size(),
              stamped.root()));
    }
  }
}
