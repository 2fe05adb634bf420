package io.tallystick.testkit.vectors;

import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Body;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.reference.ReferenceTree;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// Topic `t-ledger`: heads of the sample ledger as entries of another ledger, and time journals
/// that show such an entry. Blocks of the log end at sizes 2, 4, 6 and 8.
final class TLedgerVectors {
  private static final SeededSigner OTHER = SeededSigner.ed25519("another note key");

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final ReferenceLedger log =
      ReferenceLedger.found(ledger)
          .block(ledger.single(1))
          .block(ledger.single(2))
          .block(ledger.single(3));
  private final ReferenceLedger fork =
      ReferenceLedger.found(ledger)
          .block(ledger.single(4))
          .block(ledger.single(2))
          .block(ledger.single(3));
  private final Fixtures tLedger = Fixtures.ledger(Fixtures.TIME_MS + 1);

  TLedgerVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    entries();
    notEntries();
    bytes();
    inclusions();
    notInclusions();
  }

  private void entries() {
    set.accept(of("first-head", first(log, 4)));
    set.accept(of("head-of-genesis-alone", first(log, 2)));
    set.accept(next("larger-head", log, 4, grown(log, 4, 8)));
    set.accept(next("next-head", log, 6, grown(log, 6, 8)));
    set.accept(next("same-head-again", log, 4, grown(log, 4, 4)));
  }

  private void notEntries() {
    HeadEntry good = first(log, 4);
    set.refuse("MISSING", next("growth-not-shown", log, 4, first(log, 8)));
    set.refuse("MISSING", of("first-head-that-grew", grown(log, 4, 8)));
    set.refuse("ROOT_MISMATCH", next("another-head-of-that-size", log, 4, grown(fork, 4, 4)));
    set.refuse("WRONG_SIZE", next("smaller-head", log, 6, grown(log, 2, 4)));
    set.refuse("WRONG_SIZE", next("growth-from-an-older-head", log, 6, grown(log, 4, 8)));
    set.refuse("ROOT_MISMATCH", next("fork-of-the-last-head", log, 6, grown(fork, 6, 8)));
    set.refuse("WRONG_TYPE", of("head-that-ends-with-a-journal", first(log, 3)));
    set.refuse("ROOT_MISMATCH", of("seal-of-another-block", entry(log, 4, log.leaf(1))));
    set.refuse("ROOT_MISMATCH", of("seal-of-another-time", entry(log, 4, retimed(log.leaf(3)))));
    List<Digest> shorter = good.sealPath().subList(0, good.sealPath().size() - 1);
    set.refuse(
        "WRONG_PATH_LENGTH",
        of("path-cut", new HeadEntry(good.note(), good.sealLeaf(), shorter, Optional.empty())));
    Bytes two = lines(4, Fixtures.NOTE, OTHER);
    set.refuse("WRONG_KEY", of("line-of-another-key", with(good, two)));
    set.refuse("WRONG_KEY", of("line-twice", with(good, lines(4, Fixtures.NOTE, Fixtures.NOTE))));
    set.refuse("WRONG_KEY", of("note-of-another-key", with(good, lines(4, OTHER))));
    Bytes bent = Forge.flipBit(good.note(), good.note().size() - 4);
    set.refuse("BAD_SIGNATURE", of("note-bent", with(good, bent)));
    set.refuse("WRONG_ORIGIN", of("note-of-another-ledger", good).with(tLedger.strand()));
  }

  private void bytes() {
    Bytes good = first(log, 4).encode();
    malformed("of-type-21", Forge.replaceStart(good, "8516", "8515"));
    malformed("of-four-items", Forge.replaceStart(good, "8516", "8416"));
    malformed("bytes-left-over", Forge.append(good, "00"));
    malformed("cut", good.slice(0, good.size() - 1));
  }

  private void inclusions() {
    set.accept(included("entry", proof(body(first(log, 4))), stamped(log, 4)));
    set.accept(included("entry-of-a-grown-log", proof(body(grown(log, 4, 8))), stamped(log, 8)));
  }

  private void notInclusions() {
    Body body = body(first(log, 4));
    TimeProof.TLedger good = proof(body);
    set.refuse("ROOT_MISMATCH", included("entry-of-another-size", good, stamped(log, 6)));
    set.refuse("ROOT_MISMATCH", included("entry-of-another-log", good, stamped(fork, 4)));
    set.refuse(
        "WRONG_CLUE",
        included(
            "entry-under-another-clue",
            proof(new Body(body.payload(), body.contentType(), List.of(clue(tLedger)), List.of())),
            stamped(log, 4)));
    set.refuse(
        "WRONG_CLUE",
        included(
            "entry-under-two-clues",
            proof(
                new Body(
                    body.payload(), body.contentType(), List.of(clue(ledger), "more"), List.of())),
            stamped(log, 4)));
    set.refuse(
        "WRONG_TYPE",
        included(
            "entry-of-another-content-type",
            proof(new Body(body.payload(), "text/plain", body.clues(), List.of())),
            stamped(log, 4)));
    set.refuse(
        "MALFORMED",
        included(
            "payload-that-is-no-entry",
            proof(new Body(Bytes.utf8("head"), body.contentType(), body.clues(), List.of())),
            stamped(log, 4)));
    Bytes salt = Forge.flipBit(good.salt(), 0);
    set.refuse(
        "COMMITMENT_MISMATCH",
        included(
            "another-salt",
            new TimeProof.TLedger(good.ledger(), good.receiptFile(), salt, good.body()),
            stamped(log, 4)));
    Bytes file = Forge.flipBit(good.receiptFile(), good.receiptFile().size() - 1);
    set.refuse(
        "BAD_SIGNATURE",
        included(
            "receipt-bent",
            new TimeProof.TLedger(good.ledger(), file, good.salt(), good.body()),
            stamped(log, 4)));
    set.refuse(
        "WRONG_LEDGER",
        included(
            "receipt-of-another-ledger",
            new TimeProof.TLedger(
                new LedgerId(ledger.strand().ledger().digest()),
                good.receiptFile(),
                good.salt(),
                good.body()),
            stamped(log, 4)));
  }

  private static String clue(Fixtures of) {
    return EntryInclusion.clue(of.strand().ledger());
  }

  private static Checkpoint stamped(ReferenceLedger of, int size) {
    return new Checkpoint(
        of.keys().authority().origin(of.strand()), new TreeSize(size), of.rootAt(size));
  }

  private Body body(HeadEntry entry) {
    return new Body(entry.encode(), HeadEntry.CONTENT_TYPE, List.of(clue(ledger)), List.of());
  }

  /// A T-Ledger whose first journal is an entry with this body.
  private TimeProof.TLedger proof(Body body) {
    Bytes salt = Fixtures.bytes32("entry");
    SignedRequest request =
        RequestDraft.append(
                tLedger.strand(), body.payload(), body.contentType(), tLedger.timeMs(), salt)
            .withClues(body.clues())
            .build();
    ReferenceLedger holder =
        ReferenceLedger.found(tLedger).block(tLedger.submission(request, Fixtures.ALICE));
    return new TimeProof.TLedger(
        tLedger.strand().ledger(),
        holder.receiptFile(2, 4).encode(),
        request.salt(),
        request.body());
  }

  private static HeadEntry first(ReferenceLedger of, int size) {
    return entry(of, size, of.leaf(size - 1));
  }

  private static HeadEntry entry(ReferenceLedger of, int size, Bytes sealLeaf) {
    return new HeadEntry(
        note(of, size), sealLeaf, of.inclusion(size - 1, size).path(), Optional.empty());
  }

  private static HeadEntry grown(ReferenceLedger of, int from, int size) {
    ReferenceTree tree =
        new ReferenceTree(IntStream.range(0, of.size()).mapToObj(of::leaf).toList());
    HeadEntry head = first(of, size);
    return new HeadEntry(
        head.note(),
        head.sealLeaf(),
        head.sealPath(),
        Optional.of(new HeadEntry.Growth(from, tree.consistencyPath(from, size))));
  }

  private static Bytes note(ReferenceLedger of, int size) {
    return Checkpoint.sign(
            Fixtures.NOTE, of.keys().authority(), of.strand(), new TreeSize(size), of.rootAt(size))
        .encode();
  }

  /// The note of a head with a line of each of these keys.
  private Bytes lines(int size, SeededSigner... signers) {
    String origin = log.keys().authority().origin(log.strand());
    String text = stamped(log, size).text();
    List<NoteSignature> lines = new ArrayList<>();
    for (SeededSigner signer : signers) {
      NoteKey key = new NoteKey(origin, signer.publicKey());
      lines.addAll(SignedNote.sign(text, key, signer).signatures());
    }
    return new SignedNote(text, lines).encode();
  }

  private static HeadEntry with(HeadEntry entry, Bytes note) {
    return new HeadEntry(note, entry.sealLeaf(), entry.sealPath(), entry.growth());
  }

  /// The seal with its last bit changed.
  private static Bytes retimed(Bytes seal) {
    return Forge.flipBit(seal, seal.size() - 1);
  }

  private void malformed(String name, Bytes entry) {
    set.refuse("MALFORMED", of(name, entry));
  }

  private VectorCase of(String name, HeadEntry entry) {
    return of(name, entry.encode());
  }

  private VectorCase of(String name, Bytes entry) {
    return service(ledger.strand(), name, "headEntry", log.keys()).with("entry", entry);
  }

  private VectorCase next(String name, ReferenceLedger of, int lastSize, HeadEntry entry) {
    return of(name, entry).with("last", note(of, lastSize));
  }

  private VectorCase included(String name, TimeProof proof, Checkpoint stamped) {
    ServiceKeys keys = ReferenceLedger.found(tLedger).keys();
    return service(ledger.strand(), "included-" + name, "entryInclusion", keys)
        .with("proof", proof.encode())
        .with("stamped", stamped.text());
  }

  private static VectorCase service(StrandId strand, String name, String op, ServiceKeys keys) {
    TreeSize any = new TreeSize(2);
    return VectorCase.of("t-ledger/" + name, op, name.replace('-', ' '))
        .with(strand)
        .with("authority", keys.authority().value())
        .with("noteKey", keys.noteKey(any).spki())
        .with("receiptKey", keys.receiptKey(any).spki());
  }
}
