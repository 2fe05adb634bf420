package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.evidence.Anchor;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestSigner;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptAnchors;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.LedgerName;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.OpenProposals;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: after a shard has opened itself again, each table has in memory what its rows say. Method:
/// the disk fails a force.
class ReopenedTablesTest {
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final TestAuthority CA = TestAuthority.root("root");
  private static final CertificateChain DAVES = CA.chain("Dave", DAVE.publicKey());

  private final HookedDisk hooked = new HookedDisk(new InMemoryDisk());
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final AtomicBoolean failing = new AtomicBoolean();
  private final Fixtures ledger = Fixtures.ledger();
  private final StrandId strand = ledger.strand();
  private TestNode service;

  @BeforeEach
  void found() throws Exception {
    service =
        new TestNode(
            hooked,
            meta,
            TestNode.CONFIG.withSavepointEvery(100_000, 3_600_000),
            new CpuBatchHasher(),
            Fixtures.RECEIPT);
    service.trust(CA.trusted());
    service.node.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(),
            RequestSigner.signGenesis(ledger.params(), Fixtures.owners()).encode(),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
            TestNode.SIGNATURES));
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private MemberCertificates certificates() {
    return service.node.shard().tables().chains();
  }

  private OpenProposals proposals() {
    return service.node.shard().tables().proposals();
  }

  private KeptAnchors anchors() {
    return service.node.shard().tables().anchors();
  }

  private static void unavailable(ThrowingCallable call) {
    RequestRejectedException refusal = catchThrowableOfType(RequestRejectedException.class, call);
    assertThat(refusal).isNotNull();
    assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE);
  }

  private void failNextForce() {
    failing.set(true);
    hooked.onForce =
        () -> {
          if (failing.compareAndSet(true, false)) {
            throw new IOException("I/O error");
          }
        };
  }

  private void awaitOpen() throws Exception {
    Waiting.until(
        "the shard is open again",
        () -> {
          try {
            service.append(ledger, ledger.single(1));
            return !failing.get();
          } catch (RequestRejectedException | IllegalStateException e) {
            return false;
          }
        });
  }

  private KeptProposal proposal(int number) {
    Bytes salt = Bytes.wrap(ByteBuffer.allocate(32).putInt(0, number).array());
    return new KeptProposal(
        Proposal.of(
                RequestDraft.govern(
                        strand, Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.TIME_MS, salt)
                    .withExpiry(Fixtures.TIME_MS + 1_000)
                    .build())
            .signedBy(Fixtures.ALICE),
        KeptProposal.Outcome.Open.INSTANCE);
  }

  /// The frame of its note may be written, though its force fails.
  @Test
  void aProposalIsThereIfItsFrameIs() throws Exception {
    KeptProposal first = proposal(1);
    OpenProposals before = proposals();
    failNextForce();
    unavailable(() -> before.replace(null, first));
    awaitOpen();
    boolean kept = proposals().find(strand.ledger(), first.requestHash()).isPresent();
    assertThat(proposals().list(strand.ledger(), null, 9)).hasSize(kept ? 1 : 0);
    assertThat(proposals().openCount()).isEqualTo(kept ? 1 : 0);
    unavailable(() -> before.replace(null, proposal(2)));
    assertThat(proposals().replace(null, first)).isEqualTo(!kept);
    assertThat(proposals().list(strand.ledger(), null, 9)).containsExactly(first);
    assertThat(proposals().remove(first)).isTrue();
  }

  /// What one decision does wrong is no failure of the shard.
  @Test
  void aNoteThatIsTooLargeIsRefusedAndTheShardGoesOn() throws Exception {
    KeptProposal open = proposal(1);
    assertThat(proposals().replace(null, open)).isTrue();
    KeptProposal.Outcome refused =
        new KeptProposal.Outcome.Refused(RejectionCode.LAST_OWNER, "x".repeat(100_000));
    unavailable(() -> proposals().replace(open, new KeptProposal(open.proposal(), refused)));
    assertThat(service.node.health().appendable()).isTrue();
    assertThat(proposals().find(strand.ledger(), open.requestHash())).contains(open);
    service.append(ledger, ledger.single(1));
  }

  private KeptAnchor anchor(long size) {
    Anchor anchor = new Anchor(strand, new TreeSize(size), new JournalRoot(Digest.ZERO));
    return new KeptAnchor(anchor, Fixtures.ALICE.publicKey().kid(), anchor.sign(Fixtures.ALICE));
  }

  @Test
  void anAnchorIsThereIfItsFrameIs() throws Exception {
    anchors().keep(anchor(2));
    failNextForce();
    unavailable(() -> anchors().keep(anchor(3)));
    awaitOpen();
    assertThat(anchors().nearest(strand, 2, Set.of(Fixtures.ALICE.publicKey().kid())))
        .contains(anchor(2));
    anchors().keep(anchor(3));
    assertThat(anchors().nearest(strand, 9, Set.of(Fixtures.ALICE.publicKey().kid())))
        .contains(anchor(3));
  }

  @Test
  void aChainIsThereIfItsFrameIsAndItsAuthorityIsTrustedStill() throws Exception {
    MemberCertificates before = certificates();
    CertificateChain alices = CA.chain("Alice", Fixtures.ALICE.publicKey());
    before.show(strand.ledger(), alices);
    failNextForce();
    unavailable(() -> before.show(strand.ledger(), DAVES));
    awaitOpen();
    certificates().show(strand.ledger(), DAVES);
    Extension.Grant grant =
        new Extension.Grant(
            Role.NORMAL,
            DAVE.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.of(DAVES.digest()));
    service.append(ledger, ledger.govern(Kind.GRANT, grant, Fixtures.ALICE));
    assertThat(certificates().find(strand.ledger(), DAVES.digest())).contains(DAVES);
    CertificateChain bobs = CA.chain("Bob", Fixtures.BOB.publicKey());
    before.show(strand.ledger(), bobs); // a note goes to whichever opening there is
    assertThat(certificates().erase(strand.ledger(), alices.digest())).isTrue();
    assertThat(certificates().erase(strand.ledger(), bobs.digest())).isTrue();
    assertThat(certificates().erase(strand.ledger(), bobs.digest())).isFalse();
  }
}
