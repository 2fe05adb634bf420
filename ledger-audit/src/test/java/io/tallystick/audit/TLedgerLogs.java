package io.tallystick.audit;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.tledger.HeadEntries;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A T-Ledger with heads of the sample ledger, and that ledger with the entries as time journals.
///
/// | jsn | T-Ledger, founded at + 1 ms | the sample ledger |
/// | --- | --- | --- |
/// | 2, 3 | + 11: token of + 8 about size 2 | + 10: Alice |
/// | 4, 5 | + 21: its head of size 4 | + 20: the entry at 4 |
/// | 6, 7 | + 31: token of + 28 about size 6 | + 30: Alice |
/// | 8, 9 | + 41: its head of size 8 | + 40: the entry at 8 |
/// | 10, 11 | + 51: token of + 48 about size 10 | |
final class TLedgerLogs {
  static final long MS = Fixtures.TIME_MS;
  static final Fixtures T_LEDGER =
      Fixtures.ledger(MS + 1)
          .withFeatures(Set.of(Feature.CLUE_TRIE, Feature.PERMANENT))
          .published();

  private TLedgerLogs() {}

  static Fixtures submitter() {
    return Logs.FIXTURES;
  }

  /// Without time journals: + 10 Alice (2), + 20 Alice (4), + 30 Alice (6).
  static ReferenceLedger heads(int number) {
    return ReferenceLedger.found(submitter())
        .blocks(submitter().single(number), submitter().single(2), submitter().single(3));
  }

  static ReferenceLedger tLedger(ReferenceLedger of) {
    ReferenceLedger log = ReferenceLedger.found(T_LEDGER);
    TimeLogs.anchor(log, 2, Optional.empty(), MS + 8).seal();
    log.append(submission(request(entry(of, 4, 0)))).seal();
    TimeLogs.anchor(log, 6, TimeLogs.reference(log, 2), MS + 28).seal();
    return log;
  }

  /// A ledger whose time journals show what its T-Ledger holds.
  record Pair(ReferenceLedger submitter, ReferenceLedger tLedger) {}

  static Pair pair() {
    ReferenceLedger log = ReferenceLedger.found(submitter()).append(submitter().single(1)).seal();
    ReferenceLedger held = tLedger(log);
    SignedRequest first = request(entry(log, 4, 0));
    anchor(log, 4, Optional.empty(), proof(held, 4, first));
    log.append(submitter().single(2)).seal();
    SignedRequest second = request(entry(log, 8, 4));
    held.append(submission(second)).seal();
    TimeLogs.anchor(held, 10, TimeLogs.reference(held, 6), MS + 48).seal();
    anchor(log, 8, TimeLogs.reference(log, 4), proof(held, 8, second));
    return new Pair(log, held);
  }

  /// The next block: a time journal with any proof.
  static ReferenceLedger anchor(
      ReferenceLedger log, int size, Optional<JournalRef> previous, TimeProof proof) {
    Extension.Time time =
        new Extension.Time(new TreeSize(size), new JournalRoot(log.root(size)), previous, proof);
    return log.append(submitter().service(Kind.TIME, time, List.of(Fixtures.RECEIPT))).seal();
  }

  /// The head of the first `size` leaves.
  ///
  /// @param from the size of the head before; 0 if it is the first
  static HeadEntry entry(ReferenceLedger of, int size, int from) {
    return HeadEntries.of(of, size, from);
  }

  static SignedRequest request(HeadEntry entry) {
    return request(entry.encode(), HeadEntry.CONTENT_TYPE, clue());
  }

  static SignedRequest request(Bytes payload, String contentType, String... clues) {
    Bytes salt = Fixtures.bytes32("entry " + payload);
    return RequestDraft.append(T_LEDGER.strand(), payload, contentType, T_LEDGER.timeMs(), salt)
        .withClues(List.of(clues))
        .build();
  }

  static String clue() {
    return EntryInclusion.clue(submitter().strand().ledger());
  }

  static Submission submission(SignedRequest request) {
    return T_LEDGER.submission(request, Fixtures.ALICE);
  }

  /// That the entry stands there, under the head over all leaves.
  static TimeProof.TLedger proof(ReferenceLedger held, int jsn, SignedRequest request) {
    try {
      Receipt receipt = Receipt.decode(held.receipt(Fixtures.RECEIPT, held.size(), jsn));
      return new TimeProof.TLedger(
          T_LEDGER.strand().ledger(),
          new ReceiptFile(held.leaves().get(jsn), receipt).encode(),
          request.salt(),
          request.body());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }
}
