package io.tallystick.server.host;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.evidence.Anchor;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.OpenProposals;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.removal.Snapshot;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/// A shard's life in which each kind of journal and of note occurs, recorded twice: while bytes
/// wait to be erased behind a purge, with the indexes of an earlier savepoint, and once they are
/// gone.
final class RecordedStory {
  /// All frames are there.
  static final String WHOLE = "whole";

  /// A purge has been carried out.
  static final String PURGED = "purged";

  private static final long DAY_MS = 24L * 60 * 60 * 1000;
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final SeededSigner EVE = SeededSigner.ed25519("eve");
  private static final SeededSigner FRANK = SeededSigner.ed25519("frank");
  private static final TestAuthority CA = TestAuthority.root("root").below("department");

  private final RecordedShard shard =
      new RecordedShard(new InMemoryDisk(), new InMemoryMetaStore());
  private Fixtures ledger =
      Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE)).withSmallState();
  private Fixtures plain = Fixtures.ledger();
  private final Fixtures closed = Fixtures.ledger().published();
  private long nowMs = Fixtures.TIME_MS;
  private long epoch;
  private int number = 1_000;
  private TestNode service;

  private RecordedStory() throws Exception {
    service = open(shard, ++epoch, nowMs);
  }

  /// What is stored of it, by name.
  static Map<String, RecordedShard> tell() throws Exception {
    RecordedStory story = new RecordedStory();
    Map<String, RecordedShard> recorded = new LinkedHashMap<>();
    try {
      story.begin();
      story.service.close();
      RecordedShard early = story.shard.copy();
      story.service = open(story.shard, ++story.epoch, story.nowMs);
      story.goOn();
      story.service.close();
      recorded.put(WHOLE, story.shard.copy().withIndexesOf(early));
      story.nowMs += DAY_MS + 1;
      story.service = open(story.shard, ++story.epoch, story.nowMs);
      story.end();
    } finally {
      story.service.close();
    }
    recorded.put(PURGED, story.shard);
    return recorded;
  }

  /// A node on a recorded shard, whose epoch is higher than all that the story has used.
  static TestNode replayed(RecordedShard recorded) throws Exception {
    return open(recorded, 1_000, Fixtures.TIME_MS + 60_000); // nothing falls due meanwhile
  }

  private static TestNode open(RecordedShard on, long epoch, long nowMs) throws Exception {
    LocalStreamStore streams =
        LocalStreamStore.openDeterministic(
            on.disk(), "stream", TestNode.SMALL_SEGMENTS, new Random(epoch));
    TestNode node =
        new TestNode(
            on.disk(),
            on.meta(),
            streams,
            _ -> epoch,
            TestNode.CONFIG.withSavepointEvery(100_000, 3_600_000),
            new CpuBatchHasher(),
            Fixtures.RECEIPT);
    node.clock.set(nowMs);
    node.trust(CA.trusted());
    return node;
  }

  private void pass(long ms) {
    nowMs += ms;
    ledger = new Fixtures(ledger.params(), nowMs);
    plain = new Fixtures(plain.params(), nowMs);
    service.clock.set(nowMs);
  }

  private long append(Fixtures to, Submission submission) throws Exception {
    Receipted receipted = service.append(to, submission);
    return receipted.committed().firstJsn();
  }

  private long append(Submission submission) throws Exception {
    return append(ledger, submission);
  }

  /// Journals of each ledger, with clues and operations.
  private void some(int rounds) throws Exception {
    for (int i = 0; i < rounds; i++) {
      append(ledger.clued(++number, "clue " + i % 3, "all"));
      append(
          ledger.writing(
              ++number,
              DraftOp.put(key(i % 11), Bytes.utf8("value " + number)),
              i % 4 == 3 ? DraftOp.delete(key(19 + i)) : DraftOp.put(key(i + 20), Bytes.EMPTY)));
      append(ledger.submission(ledger.requests(number, 3), DAVE));
      number += 3;
      append(plain, plain.single(++number));
      pass(10);
    }
  }

  private static Bytes key(int of) {
    return Bytes.utf8("key " + of);
  }

  private void anchorAll() throws Exception {
    TimeJournals times = service.node.timeJournals().orElseThrow();
    for (UnanchoredHead head : times.unanchored(null, 10)) {
      pass(10);
      var _ =
          times.append(
              new TimeAnchor(
                  head.strand(), head.head(), new TimeProof.Token(Bytes.utf8("a token")), nowMs));
    }
  }

  private Submission grant(SeededSigner key, Optional<Digest> certificate) {
    return ledger.govern(
        Kind.GRANT,
        new Extension.Grant(
            Role.NORMAL,
            key.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            certificate),
        Fixtures.ALICE);
  }

  private void begin() throws Exception {
    for (Fixtures each : List.of(ledger, plain, closed)) {
      service.found(each);
    }
    append(ledger.memberAdd(Role.NORMAL, DAVE.publicKey()));
    append(ledger.memberAdd(Role.READ_ONLY, FRANK.publicKey()));
    append(OccultStory.regulator(ledger));
    some(4);
    CertificateChain eves = CA.chain("Eve", EVE.publicKey());
    var _ = service.node.memberCertificates().orElseThrow().show(ledger.params().ledgerId(), eves);
    append(grant(EVE, Optional.of(eves.digest())));
    anchorAll();
    long secret = append(ledger.submission(ledger.request(++number), EVE));
    some(3);
    append(OccultStory.occult(ledger, OccultStory.journals(service, ledger, secret)));
    OccultStory.awaitErased(service, 1);
    propose(1, false);
    anchor(2);
  }

  private void goOn() throws Exception {
    append(plain, plain.clueTrieFrom(service.node.newestBlock(plain.strand()).height() + 3));
    some(3);
    append(
        ledger.govern(
            Kind.KEY_ROTATION,
            new Extension.KeyRotation(
                Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
            Fixtures.ALICE));
    append(ledger.clueDelete(++number, "clue 1"));
    long first = append(ledger.clued(++number, "secret"));
    long last = append(ledger.clued(++number, "secret"));
    append(OccultStory.occult(ledger, OccultStory.clue(ledger, "secret", first, last)));
    append(ledger.memberRevoke(FRANK.publicKey().kid()));
    propose(2, true);
    anchor(4);
    long height = service.node.newestBlock(ledger.strand()).height(); // below the next time journal
    anchorAll();
    var _ =
        service
            .node
            .memberCertificates()
            .orElseThrow()
            .show(ledger.params().ledgerId(), CA.chain("Dave", DAVE.publicKey()));
    long recalled = append(purge(height));
    append(recall(recalled));
    some(2);
    append(purge(height));
    some(2);
    append(
        closed,
        closed.govern(
            Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.owners().toArray(SeededSigner[]::new)));
    service.node.makeReadOnly(plain.params().ledgerId(), 1_000_000, "a witness");
    OccultStory.awaitErased(service, 2);
  }

  private void end() throws Exception {
    service.node.shard().removals().removalSaved(); // it may have looked before the clock was set
    OccultStory.awaitErased(service, 3);
    pass(1);
    append(ledger.clued(++number, "all"));
  }

  private Submission purge(long height) throws Exception {
    Snapshot snapshot =
        Snapshot.decode(
            service.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
    return ledger.govern(
        Kind.PURGE,
        new Extension.Purge(snapshot.firstKept(), height, snapshot.digest(), DAY_MS),
        Fixtures.ALICE,
        DAVE,
        EVE);
  }

  private Submission recall(long purge) {
    return ledger.govern(Kind.RECALL, new Extension.Recall(new Jsn(purge)), Fixtures.ALICE);
  }

  /// Signed by one owner of two, and perhaps by the other and withdrawn, with one more that stays.
  private void propose(int salt, boolean withdrawn) throws Exception {
    OpenProposals proposals = service.node.openProposals().orElseThrow();
    KeptProposal first = proposal(10 * salt);
    var _ = proposals.replace(null, first);
    if (withdrawn) {
      KeptProposal both =
          new KeptProposal(first.proposal().signedBy(Fixtures.BOB), first.outcome());
      var _ = proposals.replace(first, both);
      var _ = proposals.remove(both);
    }
    var _ = proposals.replace(null, proposal(10 * salt + 1));
  }

  private KeptProposal proposal(int salt) {
    return new KeptProposal(
        Proposal.of(
                RequestDraft.govern(
                        plain.strand(),
                        Kind.CLOSE,
                        Extension.Close.INSTANCE,
                        nowMs,
                        Fixtures.bytes32("proposal " + salt))
                    .withExpiry(nowMs + 10 * DAY_MS)
                    .build())
            .signedBy(Fixtures.ALICE),
        KeptProposal.Outcome.Open.INSTANCE);
  }

  private void anchor(long size) throws Exception {
    Anchor anchor = new Anchor(ledger.strand(), new TreeSize(size), new JournalRoot(Digest.ZERO));
    service
        .node
        .keptAnchors()
        .orElseThrow()
        .keep(
            new KeptAnchor(anchor, Fixtures.ALICE.publicKey().kid(), anchor.sign(Fixtures.ALICE)));
  }
}
