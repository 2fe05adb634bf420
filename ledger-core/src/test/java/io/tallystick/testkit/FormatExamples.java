package io.tallystick.testkit;

import io.tallystick.evidence.Anchor;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.StateParams;
import io.tallystick.journal.TimeProof;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.misbehaviour.Claim;
import io.tallystick.misbehaviour.Misbehaviour;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.removal.Snapshot;
import io.tallystick.state.LookupProof;
import io.tallystick.state.RangeFile;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The worked examples of the format pages on trees, checkpoints, receipts, trust, the clue trie,
/// lineage and the state forest, by name, as the code makes them: a page that differs is wrong.
public final class FormatExamples {
  private static final ReferenceLedger LOG = ReferenceLedger.sample(0, 1);
  private static final String CLUE = "invoice 7";
  private static final String UNKNOWN = "unknown";
  private static final Bytes PEAR = Bytes.utf8("pear");

  private FormatExamples() {}

  /// A tree of the three leaves "a", "b", "c".
  public static Map<String, String> merkle() {
    List<Digest> leaves = new ArrayList<>();
    for (String data : List.of("a", "b", "c")) {
      leaves.add(TreeHasher.leafHash(Bytes.utf8(data)));
    }
    Digest node = TreeHasher.nodeHash(leaves.get(0), leaves.get(1));
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("leaf-a", leaves.get(0).hex());
    examples.put("leaf-b", leaves.get(1).hex());
    examples.put("leaf-c", leaves.get(2).hex());
    examples.put("node-ab", node.hex());
    examples.put("root", TreeHasher.nodeHash(node, leaves.get(2)).hex());
    return examples;
  }

  /// The head of size 4 of a log of one journal.
  public static Map<String, String> checkpoint() {
    NoteKey key =
        new NoteKey(LOG.keys().authority().origin(LOG.strand()), Fixtures.NOTE.publicKey());
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("vkey", key.vkey());
    examples.put("note", new String(LOG.checkpoint(4).toArray(), StandardCharsets.UTF_8));
    TestWitness witness = TestWitness.of("witness.example");
    examples.put("witness", witness.key().vkey());
    Checkpoint head = new Checkpoint(key.name(), new TreeSize(4), LOG.rootAt(4));
    examples.put("cosigned", witness.cosigned(LOG.checkpoint(4), 1_767_225_600));
    examples.put("cosigned-text", TestWitness.message(head.text(), 1_767_225_600));
    return examples;
  }

  /// Journal 2 of the same log.
  public static Map<String, String> receipt() {
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("receipt-key", Fixtures.RECEIPT.publicKey().spki().hex());
    examples.put("leaf", LOG.leaf(2).hex());
    examples.put("receipt", LOG.receipt(2, 4).encode().hex());
    examples.put("range-receipt", LOG.rangeReceipt(2, 2, 4).encode().hex());
    examples.put("seal", LOG.leaf(3).hex());
    examples.put("receipt-file", new ReceiptFile(LOG.leaf(2), LOG.receipt(2, 4)).encode().hex());
    return examples;
  }

  /// The second of three journals that Alice signed as a batch.
  public static Map<String, String> journalProof() {
    Fixtures ledger = Fixtures.ledger();
    ReferenceLedger log = ReferenceLedger.found(ledger).block(ledger.batch(1, 3));
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("document", SampleJournalProof.document(log, 3).hex());
    examples.put("journal-proof", SampleJournalProof.of(log, 3).encode().hex());
    return examples;
  }

  /// The same head stated by the receipt key, and by another log of one journal at the same size.
  public static Map<String, String> trust() {
    ReferenceLedger other = ReferenceLedger.sample(100, 1);
    Bytes statement = LOG.headSignature(4).statement(LOG.rootAt(4)).encode();
    Bytes contradiction = other.headSignature(4).statement(other.rootAt(4)).encode();
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("statement", statement.hex());
    examples.put("contradiction", contradiction.hex());
    examples.put(
        "fork-evidence",
        new ForkEvidence(statement, contradiction, Optional.empty()).encode().hex());
    return examples;
  }

  /// The trie of a log whose two journals name one clue each: a branch and two leaves.
  public static Map<String, String> clueTrie() {
    SampleClues log = twoClues();
    ReferenceClues clues = log.clues(log.size());
    Digest clueId = log.clueId(CLUE);
    List<Bytes> nodes = clues.proof(clueId).nodes();
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("clue-id", clueId.hex());
    examples.put("key", Bytes.wrap(ReferenceClues.key(clueId)).hex());
    examples.put("value", clues.value(clueId).encode().hex());
    examples.put("leaf", nodes.get(1).hex());
    examples.put("branch", nodes.get(0).hex());
    examples.put("clue-root", clues.root().hex());
    examples.put("unknown-key", Bytes.wrap(ReferenceClues.key(log.clueId(UNKNOWN))).hex());
    return examples;
  }

  /// What is shown of the clues of the same log.
  public static Map<String, String> lineage() {
    SampleClues log = twoClues();
    LineageProof proof = log.lineage(CLUE, log.size());
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("note", new String(log.checkpoint(log.size()).toArray(), StandardCharsets.UTF_8));
    examples.put("seal", proof.clue().seal().hex());
    examples.put("clue-proof", proof.clue().encode().hex());
    examples.put("absence", log.clueProof(UNKNOWN, log.size()).encode().hex());
    examples.put("lineage-proof", proof.encode().hex());
    examples.put(
        "lineage-file",
        LineageFile.of(log.clueId(CLUE), log.head(log.size()), proof).encode().hex());
    return examples;
  }

  /// A log whose journal 2 writes three keys: a forest of one partition, a tree of one leaf.
  public static Map<String, String> forest() {
    SampleState log =
        SampleState.found(new StateParams(1 << 21, 1, 40, 32, 1), 0)
            .block(
                List.of(
                    DraftOp.put(PEAR, Bytes.utf8("green")),
                    DraftOp.put(Bytes.utf8("apple"), Bytes.utf8("red")),
                    DraftOp.delete(Bytes.utf8("peach"))));
    List<StateEntry> entries = new ArrayList<>();
    for (String key : List.of("apple", "peach", "pear")) {
      entries.add(log.forest(4).newest(Bytes.utf8(key)).orElseThrow());
    }
    List<Bytes> records = entries.stream().map(StateEntry::encode).toList();
    Separators separators = Separators.between(entries.stream().map(StateEntry::key).toList());
    LookupProof lookup = log.lookup(PEAR, log.size());
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("entry-apple", records.get(0).hex());
    examples.put("entry-peach", records.get(1).hex());
    examples.put("entry-pear", records.get(2).hex());
    examples.put("separators", separators.encode().hex());
    examples.put("keys-hash", separators.keysHash().hex());
    Digest recordsRoot = TreeHasher.rootOverData(records);
    examples.put("records-root", recordsRoot.hex());
    examples.put("node-hash", StateNode.hash(0, separators, recordsRoot).hex());
    Bytes partition = lookup.lookup().searches().getFirst().partition();
    examples.put("partition", partition.hex());
    examples.put("state-root", StateRoot.over(List.of(partition)).digest().hex());
    examples.put("note", new String(log.checkpoint(4).toArray(), StandardCharsets.UTF_8));
    examples.put("seal", lookup.seal().seal().hex());
    examples.put("lookup-proof", lookup.encode().hex());
    examples.put("absence", log.lookup(Bytes.utf8("plum"), 4).encode().hex());
    List<Bytes> several = List.of(Bytes.utf8("apple"), Bytes.utf8("plum"));
    examples.put("several-proof", log.lookups(several, 4).encode().hex());
    Optional<Bytes> end = Optional.of(Bytes.utf8("b"));
    RangeOfState range = log.range(Bytes.EMPTY, end, 4);
    examples.put("range-proof", range.encode().hex());
    examples.put("value", log.value(entries.get(2)).encode().hex());
    Optional<StateValue> red = Optional.of(log.value(entries.getFirst()));
    examples.put("range-file", RangeFile.of(log.head(4), range, List.of(red)).encode().hex());
    return examples;
  }

  /// A rotation, a time journal, a grant and a closing of the sample ledger, and what is made of
  /// them.
  public static Map<String, String> peopleAndTime() {
    Fixtures ledger = Fixtures.ledger();
    Map<String, String> examples = new LinkedHashMap<>();
    examples.put("next-note-key", Fixtures.NEXT_NOTE.publicKey().spki().hex());
    examples.put("next-receipt-key", Fixtures.NEXT_RECEIPT.publicKey().spki().hex());
    Submission rotation = ledger.rotation();
    examples.put("rotation-header", header(rotation));
    examples.put("rotation-attestation", rotation.attestation().hex());
    ReferenceLedger rotated = ReferenceLedger.found(ledger).block(rotation);
    examples.put("key-chain", rotated.chain(2).encode().hex());
    TreeSize two = new TreeSize(2);
    Checkpoint head = new Checkpoint(ledger.params().origin(0), two, rotated.rootAt(2));
    examples.put("note", head.text());
    examples.put("imprint", head.imprint().hex());
    Extension.Time time =
        new Extension.Time(
            two, head.root(), Optional.empty(), new TimeProof.Token(Bytes.fromHex("30")));
    examples.put("time-header", header(ledger.service(Kind.TIME, time, List.of(Fixtures.RECEIPT))));
    Extension.Grant grant =
        new Extension.Grant(
            Role.NORMAL,
            Fixtures.CAROL.publicKey(),
            OptionalLong.of(Fixtures.TIME_MS + 30L * 24 * 3600 * 1000),
            Optional.of(Fixtures.BOB.publicKey().kid()),
            true,
            Optional.of(Commitments.certificates(List.of(Bytes.utf8("member"), Bytes.utf8("CA")))));
    examples.put("grant-header", header(ledger.govern(Kind.GRANT, grant, Fixtures.ALICE)));
    Submission close = ledger.govern(Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.ALICE);
    examples.put("close-header", header(close));
    Proposal proposal = Proposal.of(close.requests().getFirst()).signedBy(Fixtures.BOB);
    examples.put("proposal", proposal.encode().hex());
    Anchor anchor = new Anchor(ledger.strand(), two, head.root());
    examples.put("anchor", anchor.sign(Fixtures.ALICE).hex());
    ReferenceLedger lying = ReferenceLedger.found(ledger).falseBlock(ledger.single(1), Digest.ZERO);
    Misbehaviour misbehaviour =
        new Misbehaviour(
            Claim.FALSE_SEAL,
            lying.params(),
            KeyChain.EMPTY.encode(),
            List.of(lying.receiptFile(3, 4).encode()),
            List.of());
    examples.put("misbehaviour", misbehaviour.encode().hex());
    return examples;
  }

  /// An occult of two journals, one of a clue, a purge and its recall, and what is shown of them.
  public static Map<String, String> removal() {
    Fixtures ledger = Fixtures.ledger();
    ReferenceLedger log = SampleRemoval.log(ledger);
    Map<String, String> examples = new LinkedHashMap<>();
    Submission occult = ledger.govern(Kind.OCCULT, SampleRemoval.occult(log, 4, 6), Fixtures.ALICE);
    examples.put("occult-header", header(occult));
    ErasureTarget clue =
        new ErasureTarget.OfClue(SampleRemoval.clueId(ledger), new Jsn(2), new Jsn(9));
    Extension byClue = new Extension.Occult(clue, SampleRemoval.BASIS);
    examples.put(
        "occult-of-a-clue-header", header(ledger.govern(Kind.OCCULT, byClue, Fixtures.ALICE)));
    PseudoGenesis pseudoGenesis = SampleRemoval.pseudoGenesis();
    Snapshot snapshot = SampleRemoval.snapshot(log);
    Extension purge =
        new Extension.Purge(
            snapshot.firstKept(), snapshot.height(), snapshot.digest(), SampleRemoval.RECALL_MS);
    examples.put("purge-header", header(ledger.govern(Kind.PURGE, purge, Fixtures.ALICE)));
    Extension recall = new Extension.Recall(new Jsn(10));
    examples.put("recall-header", header(ledger.govern(Kind.RECALL, recall, Fixtures.ALICE)));
    examples.put("regulator", SampleRemoval.REGULATOR.publicKey().spki().hex());
    RemovalCertificate certificate = SampleRemoval.certificate();
    examples.put("statement", certificate.statement().hex());
    examples.put("certificate", certificate.encode().hex());
    examples.put("snapshot", snapshot.encode().hex());
    examples.put("snapshot-digest", snapshot.digest().hex());
    examples.put("pseudo-genesis", pseudoGenesis.encode().hex());
    return examples;
  }

  private static String header(Submission submission) {
    return submission.requests().getFirst().header().hex();
  }

  private static SampleClues twoClues() {
    return SampleClues.found(0).block(List.of(CLUE), List.of("order 1"));
  }
}
