package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.ClueRead;
import io.tallystick.node.Founding;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.LogRead;
import io.tallystick.node.MemberToken;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.PurgeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateRead;
import io.tallystick.node.StateReads;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeRead;
import io.tallystick.node.TimeRefusal;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.note.Checkpoint;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.tile.TileBundle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: every question has the same answer, or the same refusal, behind a wire as before it, and
/// every change arrives as it was sent. Method: all of the table, against one node.
class SameAnswersTest {
  private static final Bytes KEY = Bytes.utf8("key 1");
  private static final StateQuery PAGE =
      new StateQuery(Bytes.EMPTY, Optional.empty(), 4, StateReads.NEWEST, true);
  private static final HistoryQuery HISTORY =
      new HistoryQuery(KEY, 0, OptionalLong.empty(), OptionalLong.empty(), 5, true, true);
  private static final TestAuthority CA = TestAuthority.root("root");

  @TempDir private Path directory;
  private WiredNode wired;
  private NodeStub stub;
  private Fixtures ledger;
  private StrandId strand;
  private LedgerId id;
  private Founding founding;
  private Digest clue;

  @BeforeEach
  void open() throws Exception {
    wired = new WiredNode(directory, true);
    stub = wired.stub(wired.cluster.of(WireRole.MASTER.uri(WiredNode.CLUSTER)), WireRole.MASTER);
    ServiceIdentity service = stub.identity();
    ledger =
        Fixtures.ledger(
                stub.timeMs(), service.authority().value(), service.noteKey(), service.receiptKey())
            .withFeatures(Set.of(Feature.CLUE_TRIE))
            .withSmallState();
    strand = ledger.strand();
    id = strand.ledger();
    clue = Commitments.clueId(id, "clue a");
    founding =
        FoundingVerifier.verify(
            ledger.params().encode(),
            ledger.genesisAttestation().encode(),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
            WiredNode.SIGNATURES);
    assertThat(stub.createLedger(founding).existed()).isFalse();
    append(ledger.batch(1, 20));
    append(ledger.clued(30, "clue a"));
    append(ledger.writing(31, DraftOp.put(KEY, Bytes.utf8("one")), put(2), put(3)));
    append(ledger.writing(32, DraftOp.put(KEY, Bytes.utf8("two")), DraftOp.delete(key(2))));
    append(ledger.writing(33, put(4), put(5), put(6), put(7)));
  }

  private static Bytes key(int number) {
    return Bytes.utf8("key " + number);
  }

  private static DraftOp put(int number) {
    return DraftOp.put(key(number), Bytes.utf8("value " + number));
  }

  private void append(Submission submission) throws Exception {
    var verified =
        new SubmissionVerifier(
                WiredNode.SIGNATURES, Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST))
            .verify(strand, submission.requests(), submission.attestation(), ledger.keys());
    assertThat(stub.append(verified).receipted().get().committed().repeated()).isFalse();
  }

  @AfterEach
  void close() throws Exception {
    wired.close();
  }

  private List<NodeRead<?>> allReads() throws Exception {
    List<NodeRead<?>> all = new ArrayList<>(reads());
    all.addAll(readsBesideLogs());
    return all;
  }

  private List<NodeRead<?>> reads() throws Exception {
    RequestHeader header = RequestHeader.decode(ledger.request(1).header());
    Digest alice = Fixtures.ALICE.publicKey().kid();
    return List.of(
        new LedgerRead.Ledger(id),
        new LedgerRead.NotDeleted(id),
        new LedgerRead.Ledgers(Optional.empty(), 5, new LedgerFilter.All()),
        new LedgerRead.Ledgers(Optional.of(id), 5, new LedgerFilter.Public()),
        new LedgerRead.Ledgers(Optional.empty(), 5, new LedgerFilter.OfMember(alice, 1)),
        new LedgerRead.Ledgers(Optional.empty(), 5, new LedgerFilter.Knowing(alice, 1)),
        new LedgerRead.Founded(Optional.empty(), 9),
        new LedgerRead.Count(),
        new LedgerRead.NewestFrame(),
        new LedgerRead.Members(id),
        new LedgerRead.Keys(id),
        new LedgerRead.Chain(id),
        new LedgerRead.IsPublic(id),
        new LedgerRead.FindMember(id, alice),
        new LedgerRead.FindSigner(id, alice),
        new LedgerRead.Possible(header),
        new LogRead.Journal(strand, 5, true),
        new LogRead.Journal(strand, 1, false),
        new LogRead.Journal(strand, 999, false),
        new LogRead.Proven(strand, 5, 0),
        new LogRead.NewestSize(strand),
        new LogRead.Bundle(strand, TileBundle.BODIES, 0, 10),
        new LogRead.RangeReceipt(strand, 2, 20),
        new LogRead.Receipt(strand, 2),
        new LogRead.Inclusion(strand, 2, 0),
        new LogRead.Inclusion(strand, 2, 999),
        new LogRead.Consistency(strand, 2, 0),
        new LogRead.Tile(strand, 0, 0, 8),
        new LogRead.BlockAt(strand, 1),
        new LogRead.NewestBlock(strand),
        new LogRead.BlockOf(strand, 3),
        new LogRead.Checkpoint(strand),
        new LogRead.Erased(strand, 3),
        new LogRead.Certificate(strand, 3),
        new ClueRead.Clue(strand, clue),
        new ClueRead.Lineage(strand, LineageQuery.all(clue)),
        new ClueRead.Membership(strand, clue, 23),
        new StateRead.Key(strand, KEY, StateReads.NEWEST, true),
        new StateRead.Key(strand, Bytes.utf8("none"), StateReads.NEWEST, true),
        new StateRead.Keys(strand, List.of(KEY, key(2), key(9)), StateReads.NEWEST, true),
        new StateRead.Page(strand, PAGE),
        new StateRead.History(strand, HISTORY));
  }

  private List<NodeRead<?>> readsBesideLogs() {
    Digest alice = Fixtures.ALICE.publicKey().kid();
    return List.of(
        new TimeRead.Unanchored(Optional.empty(), 5),
        new TimeRead.Unanchored(Optional.of(strand), 5),
        new TimeRead.Newest(strand),
        new TimeRead.Stamped(strand, 2),
        new TimeRead.LastAt(strand, stub.timeMs()),
        new KeptRead.Proposal(id, proposal().requestHash()),
        new KeptRead.Proposals(id, Optional.empty(), 5),
        new KeptRead.Submitting(),
        new KeptRead.OpenCount(),
        new KeptRead.NearestAnchor(strand, 99, Set.of(alice)),
        new KeptRead.Certificates(id, Digest.ZERO),
        new PurgeRead.PseudoGenesis(strand),
        new PurgeRead.Window(strand),
        new PurgeRead.Clues(strand, 0, 0, 9),
        new PurgeRead.State(strand, 0, 0, 9),
        new OutsideRead.WantedTimes(),
        new OutsideRead.WhyNoTime(strand),
        new OutsideRead.Cosigned(strand),
        new OutsideRead.Marks(id),
        new OutsideRead.MarkedCount());
  }

  private KeptProposal proposal() {
    return new KeptProposal(
        Proposal.of(
                RequestDraft.govern(
                        strand,
                        Kind.CLOSE,
                        Extension.Close.INSTANCE,
                        ledger.timeMs(),
                        Bytes.wrap(new byte[32]))
                    .build())
            .signedBy(Fixtures.ALICE),
        KeptProposal.Outcome.Open.INSTANCE);
  }

  private KeptAnchor anchor() {
    Anchor anchor = new Anchor(strand, new TreeSize(2), new JournalRoot(Digest.ZERO));
    return new KeptAnchor(anchor, Fixtures.ALICE.publicKey().kid(), anchor.sign(Fixtures.ALICE));
  }

  private List<NodeChange<?>> changes() {
    Checkpoint head =
        new Checkpoint("origin", new TreeSize(2), new JournalRoot(Digest.of(Fixtures.nameSalt())));
    return List.of(
        new NodeChange.Found(founding),
        new NodeChange.MakeReadOnly(id, 9, "one.example"),
        new NodeChange.LiftReadOnly(id, Optional.of("one.example")),
        new NodeChange.AppendTime(
            new TimeAnchor(strand, head, new TimeProof.Token(Bytes.utf8("token")), 5)),
        new NodeChange.ReplaceProposal(Optional.empty(), proposal()),
        new NodeChange.ReplaceProposal(Optional.of(proposal()), proposal()),
        new NodeChange.RemoveProposal(proposal(), Optional.of(new MemberToken("a.b.c"))),
        new NodeChange.DropGoneProposals(),
        new NodeChange.KeepAnchor(anchor()),
        new NodeChange.ShowCertificates(id, CA.chain("Alice", Fixtures.ALICE.publicKey())),
        new NodeChange.EraseCertificates(id, Digest.ZERO, Optional.empty()),
        new NodeChange.DropExpiredCertificates(),
        new NodeChange.WantTime(strand),
        new NodeChange.NoTime(
            strand,
            new TimeRefusal(RejectionCode.RATE_LIMITED, "once a minute", OptionalLong.of(5))),
        new NodeChange.ShowCosigned(strand, Bytes.utf8("a note")),
        new NodeChange.SubmitHead(
            id, Bytes.utf8("params"), Bytes.utf8("chain"), Bytes.utf8("entry"), "::1", "secret"),
        new NodeChange.PrepareSnapshot(strand, 1, List.of(Digest.ZERO)));
  }

  /// An answer, or all that a refusal says.
  private static Object outcome(LedgerNode node, NodeRead<?> read) {
    try {
      Object answer = node.ask(read);
      return answer;
    } catch (RequestRejectedException e) {
      return Refusal.of(e);
    }
  }

  @Test
  void everyQuestionIsAnsweredAlike() throws Exception {
    assertThat(stub.change(new NodeChange.ReplaceProposal(Optional.empty(), proposal()))).isTrue();
    var _ = stub.change(new NodeChange.KeepAnchor(anchor()));
    List<Object> answers = new ArrayList<>();
    for (NodeRead<?> read : allReads()) {
      Object here = outcome(wired.local, read);
      assertThat(outcome(stub, read)).as("%s", read).isEqualTo(here);
      answers.add(here);
    }
    assertThat(answers.stream().filter(each -> each instanceof Refusal))
        .as("the rest has answers")
        .hasSizeLessThan(answers.size() / 3);
  }

  @Test
  void everyQuestionAndChangeArrivesAsItWasSent() throws Exception {
    List<Object> all = new ArrayList<>(allReads());
    all.addAll(changes());
    for (Object each : all) {
      NodeQuestions.Row row = NodeQuestions.TABLE.of(each);
      Bytes body = WireFrames.body(row.question(), each);
      assertThat(WireFrames.value(row.question(), body)).isEqualTo(each);
    }
    assertThat(all.stream().map(Object::getClass).distinct())
        .as("all of the table")
        .hasSameSizeAs(NodeQuestions.TABLE.rows());
  }
}
