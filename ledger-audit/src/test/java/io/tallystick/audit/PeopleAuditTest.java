package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: who may sign is judged as the pages say, of grants, expiry, marks, styles and the closing.
/// Method: a log that does all of it rightly, and for each rule a log that breaks it alone.
class PeopleAuditTest {
  private static final SeededSigner AGENT = SeededSigner.ed25519("agent");
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final long FIRST_MS = Fixtures.TIME_MS + 10;

  /// The last time at which Carol's key holds.
  private static final long UNTIL_MS = FIRST_MS + 20;

  @TempDir private Path folder;

  /// What a grant says; unlike one of kind 16 it can be given again.
  private record Grant(
      Role role,
      SeededSigner key,
      OptionalLong notAfterMs,
      Optional<Digest> replaces,
      boolean delegated) {
    static Grant of(Role role, SeededSigner key) {
      return new Grant(role, key, OptionalLong.empty(), Optional.empty(), false);
    }

    Grant until(long timeMs) {
      return new Grant(role, key, OptionalLong.of(timeMs), replaces, delegated);
    }

    Grant inPlaceOf(Signer member) {
      return new Grant(role, key, notAfterMs, Optional.of(member.publicKey().kid()), delegated);
    }

    Grant marked() {
      return new Grant(role, key, notAfterMs, replaces, true);
    }

    Submission by(Signer... signers) {
      return by(FIXTURES, signers);
    }

    Submission by(Fixtures fixtures, Signer... signers) {
      return fixtures.govern(
          Kind.GRANT,
          new Extension.Grant(
              role, key.publicKey(), notAfterMs, replaces, delegated, Optional.empty()),
          signers);
    }
  }

  private static Submission by(SeededSigner signer, int number) {
    return FIXTURES.submission(FIXTURES.request(number), signer);
  }

  private static Submission close(Signer... signers) {
    return FIXTURES.govern(Kind.CLOSE, Extension.Close.INSTANCE, signers);
  }

  private static ReferenceLedger founded() {
    return ReferenceLedger.found(FIXTURES);
  }

  private static ReferenceLedger founded(Grant... grants) {
    ReferenceLedger log = founded();
    for (Grant grant : grants) {
      log.append(grant.by(Fixtures.ALICE));
    }
    return log;
  }

  /// Carol until a time (2), Carol (3); at that time Carol (5); later Carol for ever (7), Carol
  /// (8); an agent (10), the agent alone (11), in a batch (12, 13) and beside Alice (14); Dave an
  /// owner in place of Bob (16), the closing (17).
  private static ReferenceLedger right() {
    Grant carol = Grant.of(Role.NORMAL, Fixtures.CAROL);
    return founded(carol.until(UNTIL_MS))
        .append(by(Fixtures.CAROL, 1))
        .seal()
        .at(UNTIL_MS)
        .append(by(Fixtures.CAROL, 2))
        .seal()
        .append(carol.by(Fixtures.ALICE))
        .append(by(Fixtures.CAROL, 3))
        .seal()
        .append(Grant.of(Role.NORMAL, AGENT).marked().by(Fixtures.ALICE))
        .append(by(AGENT, 4), true)
        .append(FIXTURES.submission(FIXTURES.requests(10, 2), AGENT), true)
        .append(FIXTURES.submission(FIXTURES.request(5), AGENT, Fixtures.ALICE), true)
        .seal()
        .append(Grant.of(Role.OWNER, DAVE).inPlaceOf(Fixtures.BOB).by(Fixtures.ALICE))
        .append(close(Fixtures.ALICE, DAVE))
        .seal();
  }

  private static void assertFault(ReferenceLedger log, long jsn, FaultKind kind) {
    Logs.assertFault(log.seal(), jsn, kind);
  }

  @Test
  void passesALogThatKeepsEveryRule() {
    AuditReport report = Logs.audit(right());
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().memberChanges()).isEqualTo(4);
  }

  @Test
  void goesOnFromEverySealAsWithoutInterruption() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    // Each faulty for what was before the seal that it goes on from.
    List<ReferenceLedger> logs =
        List.of(
            right(),
            right().append(FIXTURES.single(20)).seal(),
            founded(Grant.of(Role.NORMAL, Fixtures.CAROL).until(FIRST_MS))
                .seal()
                .append(by(Fixtures.CAROL, 1))
                .seal(),
            founded(Grant.of(Role.NORMAL, AGENT).marked()).seal().append(by(AGENT, 1)).seal());
    for (ReferenceLedger log : logs) {
      AuditReport want = Logs.audit(log);
      Path states = folder.resolve("of " + log.root());
      AuditStatements statements = new AuditStatements(states, auditor, Duration.ZERO);
      for (int size = 4; size <= log.size(); size++) {
        MemoryLog whole = MemoryLog.of(log);
        Logs.AUDITOR.audit(
            log.strand(),
            whole.withEntries(whole.entries().subList(0, size)),
            Logs.OPTIONS,
            statements);
        AuditReport report = Logs.AUDITOR.audit(log.strand(), whole, Logs.OPTIONS, statements);
        assertThat(report.faults()).isEqualTo(want.faults());
        assertThat(report.root()).isEqualTo(want.root());
        assertThat(report.counts().memberChanges()).isEqualTo(want.counts().memberChanges());
        Files.deleteIfExists(statements.file(log.strand()));
      }
    }
  }

  @Test
  void catchesAKeyThatHasExpired() {
    ReferenceLedger log = founded(Grant.of(Role.NORMAL, Fixtures.CAROL).until(UNTIL_MS)).seal();
    assertFault(log.at(UNTIL_MS + 1).append(by(Fixtures.CAROL, 1)), 4, FaultKind.EXPIRED_SIGNER);
  }

  @Test
  void catchesAGrantWithoutAnOwner() {
    Submission byCarol = Grant.of(Role.NORMAL, DAVE).by(Fixtures.CAROL);
    assertFault(
        founded(Grant.of(Role.REGULATOR, Fixtures.CAROL)).append(byCarol),
        3,
        FaultKind.ROLE_NOT_ALLOWED);
  }

  @Test
  void catchesTheRoleThatAGrantTook() {
    ReferenceLedger log =
        founded(Grant.of(Role.NORMAL, Fixtures.CAROL), Grant.of(Role.READ_ONLY, Fixtures.CAROL));
    assertFault(log.append(by(Fixtures.CAROL, 1)), 4, FaultKind.ROLE_NOT_ALLOWED);
  }

  @Test
  void catchesAGrantToARevokedKey() {
    ReferenceLedger log = founded().append(FIXTURES.memberRevoke(Fixtures.BOB.publicKey().kid()));
    assertFault(
        log.append(Grant.of(Role.NORMAL, Fixtures.BOB).by(Fixtures.ALICE)),
        3,
        FaultKind.GRANT_INVALID);
  }

  @Test
  void catchesAGrantToAServiceKey() {
    assertFault(founded(Grant.of(Role.NORMAL, Fixtures.NOTE)), 2, FaultKind.GRANT_INVALID);
    assertFault(founded(Grant.of(Role.NORMAL, Fixtures.RECEIPT)), 2, FaultKind.GRANT_INVALID);
  }

  @Test
  void catchesAGrantToAKeyThatMayNotBeUsed() throws Exception {
    byte[] spki = Fixtures.ALICE.publicKey().spki().toArray();
    Arrays.fill(spki, 12, spki.length, (byte) 0);
    spki[12] = 1;
    Extension weak =
        new Extension.Grant(
            Role.NORMAL,
            PublicKey.ofSpki(Bytes.wrap(spki)),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.empty());
    assertFault(
        founded().append(FIXTURES.govern(Kind.GRANT, weak, Fixtures.ALICE)),
        2,
        FaultKind.GRANT_INVALID);
  }

  @Test
  void catchesAReplacementOfNoValidMember() {
    Grant dave = Grant.of(Role.NORMAL, DAVE).inPlaceOf(Fixtures.CAROL);
    assertFault(founded(dave), 2, FaultKind.GRANT_INVALID);
    ReferenceLedger expired = founded(Grant.of(Role.NORMAL, Fixtures.CAROL).until(FIRST_MS)).seal();
    assertFault(
        expired.at(FIRST_MS + 1).append(dave.by(Fixtures.ALICE)), 4, FaultKind.GRANT_INVALID);
  }

  @Test
  void catchesAReplacedMemberThatSigns() {
    ReferenceLedger log = founded(Grant.of(Role.OWNER, DAVE).inPlaceOf(Fixtures.BOB));
    assertFault(log.append(by(Fixtures.BOB, 1)), 3, FaultKind.REVOKED_SIGNER);
  }

  @Test
  void catchesAChangeThatLeavesNoLastingOwner() {
    Grant bob = Grant.of(Role.OWNER, Fixtures.BOB).until(UNTIL_MS);
    Grant alice = Grant.of(Role.OWNER, Fixtures.ALICE).until(UNTIL_MS);
    assertFault(founded(bob, alice), 3, FaultKind.LAST_OWNER);
    assertFault(founded(bob, Grant.of(Role.NORMAL, Fixtures.ALICE)), 3, FaultKind.LAST_OWNER);
    assertFault(
        founded(bob, Grant.of(Role.NORMAL, DAVE).inPlaceOf(Fixtures.ALICE)),
        3,
        FaultKind.LAST_OWNER);
    assertFault(
        founded(bob).append(FIXTURES.memberRevoke(Fixtures.ALICE.publicKey().kid())),
        3,
        FaultKind.LAST_OWNER);
  }

  @Test
  void catchesAnAgentsKeyThatLosesItsMark() {
    Grant agent = Grant.of(Role.NORMAL, AGENT);
    assertFault(founded(agent.marked(), agent), 3, FaultKind.DELEGATION_DROPPED);
    ReferenceLedger expired = founded(agent.marked().until(FIRST_MS)).seal();
    assertFault(
        expired.at(UNTIL_MS).append(agent.by(Fixtures.ALICE)), 4, FaultKind.DELEGATION_DROPPED);
  }

  @Test
  void catchesAWrongMarkOfTheLeaf() {
    Grant agent = Grant.of(Role.NORMAL, AGENT).marked();
    assertFault(founded(agent).append(by(AGENT, 1)), 3, FaultKind.WRONG_FLAGS);
    assertFault(founded().append(FIXTURES.single(1), true), 2, FaultKind.WRONG_FLAGS);
    assertFault(founded().append(agent.by(Fixtures.ALICE), true), 2, FaultKind.WRONG_FLAGS);
  }

  @Test
  void namesTheJournalOfABatchWhoseMarkIsWrong() throws Exception {
    ReferenceLedger log = founded().append(FIXTURES.batch(1, 3)).seal();
    ReferenceLedger marked = founded().append(FIXTURES.batch(1, 3), true).seal();
    for (int wrong = 2; wrong <= 4; wrong++) {
      List<ReferenceEntry> entries = new ArrayList<>(log.entries());
      entries.set(wrong, marked.entries().get(wrong));
      Logs.assertFault(ReferenceLedger.resealed(FIXTURES, entries), wrong, FaultKind.WRONG_FLAGS);
    }
  }

  @Test
  void catchesAClosingThatAValidOwnerDidNotSign() {
    assertFault(founded().append(close(Fixtures.ALICE)), 2, FaultKind.OWNERS_MISSING);
    ReferenceLedger expired =
        founded(Grant.of(Role.OWNER, Fixtures.BOB).until(FIRST_MS)).seal().at(FIRST_MS + 1);
    Logs.audit(expired.append(close(Fixtures.ALICE)).seal())
        .firstFault()
        .ifPresent(fault -> assertThat(fault).isNull());
  }

  @Test
  void catchesWhatStandsBehindAClosing() {
    Submission whole = close(Fixtures.ALICE, Fixtures.BOB);
    assertFault(founded().append(whole).append(FIXTURES.single(1)), 3, FaultKind.LEDGER_CLOSED);
    assertFault(founded().append(whole).append(FIXTURES.batch(1, 2)), 3, FaultKind.LEDGER_CLOSED);
    assertFault(
        founded().append(whole).append(Grant.of(Role.NORMAL, DAVE).by(Fixtures.ALICE)),
        3,
        FaultKind.LEDGER_CLOSED);
  }

  @Test
  void takesAsManySignaturesAsTheKindAllows() {
    List<SeededSigner> signers = new ArrayList<>(List.of(Fixtures.ALICE, Fixtures.BOB));
    ReferenceLedger log = founded();
    for (int i = 0; i < 15; i++) {
      SeededSigner owner = SeededSigner.ed25519("owner " + i);
      log.append(Grant.of(Role.OWNER, owner).by(Fixtures.ALICE));
      signers.add(owner);
    }
    Signer[] all = signers.toArray(Signer[]::new);
    ReferenceLedger closed = log.copy().append(close(all)).seal();
    assertThat(Logs.audit(closed).firstFault()).isEmpty();
    assertFault(log.append(Grant.of(Role.NORMAL, DAVE).by(all)), 17, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void holdsAMonoLedgerToOneOwner() {
    Fixtures mono = styled(Feature.MONO, Fixtures.ALICE);
    Grant dave = Grant.of(Role.OWNER, DAVE);
    ReferenceLedger log =
        ReferenceLedger.found(mono)
            .append(Grant.of(Role.REGULATOR, Fixtures.CAROL).by(mono, Fixtures.ALICE))
            .append(dave.inPlaceOf(Fixtures.ALICE).by(mono, Fixtures.ALICE))
            .append(dave.by(mono, DAVE));
    assertFault(mono, log, -1, FaultKind.STYLE_BROKEN);
    List<Submission> wrong =
        List.of(
            dave.by(mono, Fixtures.ALICE),
            dave.until(UNTIL_MS).by(mono, Fixtures.ALICE),
            Grant.of(Role.NORMAL, DAVE).by(mono, Fixtures.ALICE),
            mono.memberAdd(Role.NORMAL, DAVE.publicKey()),
            mono.memberAdd(Role.OWNER, DAVE.publicKey()));
    for (Submission submission : wrong) {
      assertFault(mono, ReferenceLedger.found(mono).append(submission), 2, FaultKind.STYLE_BROKEN);
    }
  }

  @Test
  void holdsADelegatedLedgerToAgents() {
    Fixtures delegated = styled(Feature.DELEGATED, Fixtures.ALICE);
    Grant agent = Grant.of(Role.NORMAL, AGENT);
    ReferenceLedger log =
        ReferenceLedger.found(delegated)
            .append(agent.marked().by(delegated, Fixtures.ALICE))
            .append(Grant.of(Role.REGULATOR, DAVE).by(delegated, Fixtures.ALICE))
            .append(delegated.memberAdd(Role.OWNER, Fixtures.CAROL.publicKey()));
    assertFault(delegated, log, -1, FaultKind.STYLE_BROKEN);
    for (Submission submission :
        List.of(
            agent.by(delegated, Fixtures.ALICE),
            delegated.memberAdd(Role.NORMAL, AGENT.publicKey()))) {
      assertFault(
          delegated,
          ReferenceLedger.found(delegated).append(submission),
          2,
          FaultKind.STYLE_BROKEN);
    }
  }

  /// A parameters journal cannot be made that names a style: the byte is changed.
  @Test
  void catchesAStyleThatIsChosenLater() {
    Submission trie = FIXTURES.clueTrieFrom(5);
    SignedRequest request = trie.requests().getFirst();
    byte[] header = request.header().toArray();
    header[header.length - 2] = (byte) Feature.PERMANENT.code();
    Bytes changed = Bytes.wrap(header);
    SignedRequest forged =
        new SignedRequest(changed, request.salt(), request.body(), request.ops());
    Bytes attestation =
        RequestSigner.sign(FIXTURES.strand(), RequestHeader.hash(changed), List.of(Fixtures.ALICE))
            .encode();
    assertFault(
        founded().append(new Submission(List.of(forged), attestation)),
        2,
        FaultKind.MALFORMED_LEAF);
  }

  private static Fixtures styled(Feature feature, Signer owner) {
    return FIXTURES.withOwners(List.of(owner.publicKey())).withFeatures(Set.of(feature));
  }

  private static void assertFault(
      Fixtures fixtures, ReferenceLedger log, long jsn, FaultKind kind) {
    try {
      AuditReport report =
          Logs.AUDITOR.audit(fixtures.strand(), MemoryLog.of(log.seal()), Logs.OPTIONS);
      if (jsn < 0) {
        assertThat(report.firstFault()).isEmpty();
      } else {
        AuditFault fault = report.firstFault().orElseThrow();
        assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
        assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
      }
    } catch (IOException | AuditLimitException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
