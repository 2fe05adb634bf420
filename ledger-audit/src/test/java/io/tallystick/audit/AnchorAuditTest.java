package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an audit from an anchor takes its signer's word for signatures and bodies below it, and
/// for nothing else; a false anchor never passes. Method: the sample log of {@link Logs}, audited
/// from right and wrong anchors, whole and with a body taken away at every journal.
class AnchorAuditTest {
  /// Behind the block of the batch.
  private static final int ANCHOR_SIZE = 8;

  private static final int[] JOURNALS = {2, 3, 4, 5, 6, 8, 10, 11, 13, 15};

  private static Bytes anchor(StrandId strand, long size, Digest root, Signer signer) {
    return new Anchor(strand, new TreeSize(size), new JournalRoot(root)).sign(signer);
  }

  private static Bytes anchor(int size, Signer signer) {
    ReferenceLedger log = Logs.sample();
    return anchor(log.strand(), size, log.root(size), signer);
  }

  private static AuditReport audit(MemoryLog log, Bytes anchor) {
    return Logs.audit(log, Logs.OPTIONS.fromAnchor(anchor));
  }

  private static void assertFault(Bytes anchor, long jsn, FaultKind kind) {
    AuditFault fault = audit(MemoryLog.of(Logs.sample()), anchor).firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
  }

  @Test
  void aRightLogPassesFromEveryHead() {
    AuditReport whole = Logs.audit(Logs.sample());
    assertThat(AuditSummary.of(whole).vouchedSize()).isZero();
    for (int size : new int[] {2, 8, 10, 13, 15, 17}) {
      AuditReport report = audit(MemoryLog.of(Logs.sample()), anchor(size, Fixtures.BOB));
      assertThat(report.faults()).as("from %d", size).isEmpty();
      assertThat(report.root()).isEqualTo(whole.root());
      assertThat(report.counts().journals()).isEqualTo(whole.counts().journals());
      assertThat(report.counts().memberChanges()).isEqualTo(whole.counts().memberChanges());
      assertThat(AuditSummary.of(report).vouchedSize()).isEqualTo(size);
      assertThat(AuditSummary.of(report).vouchedBy())
          .isEqualTo(Fixtures.BOB.publicKey().kid().hex());
      assertThat(AuditText.of(report)).contains("NOT CHECKED below size " + size);
      assertThat(AuditPage.of(report)).contains("below size " + size);
    }
    // Alice, and her batch: two signatures below the anchor.
    assertThat(audit(MemoryLog.of(Logs.sample()), anchor(ANCHOR_SIZE, Fixtures.ALICE)).counts())
        .extracting(AuditCounts::signatures, AuditCounts::bodies)
        .containsExactly(whole.counts().signatures() - 2, whole.counts().bodies() - 5);
  }

  @Test
  void bodiesAreLookedAtFromTheAnchorOn() {
    Bytes anchor = anchor(ANCHOR_SIZE, Fixtures.ALICE);
    for (int jsn : JOURNALS) {
      MemoryLog log =
          MemoryLog.of(Logs.sample())
              .with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.ERASED));
      AuditReport report = audit(log, anchor);
      if (jsn < ANCHOR_SIZE) {
        assertThat(report.faults()).as("jsn %d", jsn).isEmpty();
      } else {
        assertThat(report.firstFault().orElseThrow().jsn()).isEqualTo(jsn);
      }
    }
  }

  /// Says that it is Alice's, and is not.
  private record Forger() implements Signer {
    @Override
    public PublicKey publicKey() {
      return Fixtures.ALICE.publicKey();
    }

    @Override
    public byte[] sign(byte[] message) {
      return Fixtures.BOB.sign(message);
    }
  }

  /// Whose anchor it is vouches for journals, and not for who the members are.
  @Test
  void forgedSignaturesAreSeenFromTheAnchorOnAndInGovernanceEverywhere() throws Exception {
    Submission journal = FIXTURES.submission(FIXTURES.request(1), new Forger());
    Submission change =
        FIXTURES.govern(
            Kind.MEMBER_ADD,
            new Extension.MemberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()),
            new Forger());
    ReferenceLedger plain = ReferenceLedger.found(FIXTURES).append(journal).seal();
    Bytes above = anchor(plain.strand(), 4, plain.root(4), Fixtures.BOB);
    Bytes below = anchor(plain.strand(), 2, plain.root(2), Fixtures.BOB);
    assertThat(audit(MemoryLog.of(plain), above).faults()).isEmpty();
    assertThat(audit(MemoryLog.of(plain), below).faults())
        .extracting(AuditFault::kind)
        .containsExactly(FaultKind.BAD_SIGNATURE);
    ReferenceLedger governed = ReferenceLedger.found(FIXTURES).append(change).seal();
    Bytes vouching = anchor(governed.strand(), 4, governed.root(4), Fixtures.BOB);
    assertThat(audit(MemoryLog.of(governed), vouching).faults())
        .extracting(AuditFault::kind)
        .containsExactly(FaultKind.BAD_SIGNATURE);
  }

  @Test
  void theLogMustHaveTheAnchorsRoot() {
    StrandId strand = Logs.sample().strand();
    assertFault(
        anchor(strand, ANCHOR_SIZE, Digest.ZERO, Fixtures.ALICE),
        ANCHOR_SIZE - 1,
        FaultKind.ANCHOR_INVALID);
    assertFault(
        anchor(strand, ANCHOR_SIZE, Logs.sample().root(10), Fixtures.ALICE),
        ANCHOR_SIZE - 1,
        FaultKind.ANCHOR_INVALID);
    assertFault(
        anchor(strand, 1_000, Digest.ZERO, Fixtures.ALICE),
        Logs.SIZE - 1,
        FaultKind.ANCHOR_INVALID);
  }

  @Test
  void theAnchorMustBeAMembersOfThisLedger() {
    Bytes right = anchor(ANCHOR_SIZE, Fixtures.ALICE);
    assertFault(
        anchor(ANCHOR_SIZE, SeededSigner.ed25519("stranger")),
        ANCHOR_SIZE - 1,
        FaultKind.ANCHOR_INVALID);
    // She was a member when she could have verified it, and is none any more.
    assertFault(anchor(13, Fixtures.CAROL), 12, FaultKind.ANCHOR_INVALID);
    byte[] bent = right.toArray();
    bent[bent.length - 1] ^= 1;
    assertFault(Bytes.wrap(bent), ANCHOR_SIZE - 1, FaultKind.ANCHOR_INVALID);
    assertFault(Bytes.utf8("no anchor"), 0, FaultKind.ANCHOR_INVALID);
    StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
    assertFault(
        anchor(other, ANCHOR_SIZE, Logs.sample().root(ANCHOR_SIZE), Fixtures.ALICE),
        0,
        FaultKind.ANCHOR_INVALID);
  }

  /// A statement says what its auditor itself has checked.
  @Test
  void noStatementIsMadeFromAnAnchor(@TempDir Path folder) {
    AuditStatements statements =
        new AuditStatements(folder, SeededSigner.ed25519("auditor"), Duration.ZERO);
    AuditOptions options = Logs.OPTIONS.fromAnchor(anchor(ANCHOR_SIZE, Fixtures.ALICE));
    assertThatThrownBy(() ->
            Logs.AUDITOR.audit(FIXTURES.strand(), MemoryLog.of(Logs.sample()), options, statements))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
