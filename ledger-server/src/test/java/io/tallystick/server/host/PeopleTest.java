package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: grants and closings are decided at their jsn and hold from the next one on, whether
/// members are in memory or come from savepoints. Method: the same story with a savepoint after
/// every journal and with one whenever the shard is closed, which it is between any two steps.
/// Frames behind a savepoint are for {@link ShardCrashTest}.
class PeopleTest {
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final Digest DIGEST = Digest.of(Fixtures.bytes32("certificates"));
  private static final long SOON_MS = Fixtures.TIME_MS + 5_000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private Fixtures ledger = Fixtures.ledger();
  private ShardConfig config = TestNode.CONFIG;
  private TestNode service;
  private long nowMs = Fixtures.TIME_MS;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, config);
    service.clock.set(nowMs);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void begin(int savepointEvery, Fixtures of) throws Exception {
    ledger = of;
    config = TestNode.CONFIG.withSavepointEvery(savepointEvery, 3_600_000);
    reopen();
    List<SeededSigner> owners =
        ledger.params().owners().size() == 1 ? List.of(Fixtures.ALICE) : Fixtures.owners();
    service.node.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(),
            RequestSigner.signGenesis(ledger.params(), owners).encode(),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
            TestNode.SIGNATURES));
  }

  /// A ledger of Alice's alone.
  private static Fixtures mono() {
    GenesisParams of = Fixtures.ledger().params();
    return new Fixtures(
        new GenesisParams(
            of.authority(),
            of.nameCommit(),
            of.random(),
            List.of(Fixtures.ALICE.publicKey()),
            of.noteKey(),
            of.receiptKey(),
            of.createdMs(),
            of.isPublic(),
            of.strandCount(),
            of.maxWindowMs(),
            Set.of(Feature.MONO),
            null),
        Fixtures.TIME_MS);
  }

  private void reopen() throws Exception {
    close();
    open();
  }

  private Receipted accepted(Submission submission) throws Exception {
    reopen();
    Receipted receipted = service.append(ledger, submission);
    service.verify(ledger, receipted);
    reopen();
    Receipted again = service.append(ledger, submission);
    assertThat(again.committed().repeated()).isTrue();
    assertThat(again.committed().delegated()).isEqualTo(receipted.committed().delegated());
    return receipted;
  }

  private RequestRejectedException refused(Submission submission, RejectionCode code)
      throws Exception {
    reopen();
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(ledger, submission));
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
    return refusal;
  }

  private Submission grant(Extension.Grant grant, SeededSigner... signers) {
    return ledger.govern(Kind.GRANT, grant, signers);
  }

  private static Extension.Grant of(SeededSigner key, Role role) {
    return new Extension.Grant(
        role, key.publicKey(), OptionalLong.empty(), Optional.empty(), false, Optional.empty());
  }

  private static Extension.Grant until(Extension.Grant grant, long notAfterMs) {
    return new Extension.Grant(
        grant.role(),
        grant.key(),
        OptionalLong.of(notAfterMs),
        grant.replaces(),
        grant.delegated(),
        grant.certDigest());
  }

  private static Extension.Grant replacing(Extension.Grant grant, SeededSigner replaced) {
    return new Extension.Grant(
        grant.role(),
        grant.key(),
        grant.notAfterMs(),
        Optional.of(replaced.publicKey().kid()),
        grant.delegated(),
        grant.certDigest());
  }

  private static Extension.Grant delegated(Extension.Grant grant) {
    return new Extension.Grant(
        grant.role(), grant.key(), grant.notAfterMs(), grant.replaces(), true, grant.certDigest());
  }

  private Submission by(SeededSigner signer, int number) {
    return ledger.submission(ledger.request(number), signer);
  }

  private Member member(SeededSigner key) throws RequestRejectedException {
    return service.node.member(ledger.strand().ledger(), key.publicKey().kid()).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void aGrantedKeyHoldsUntilItExpiresAndAgainWhenItIsGrantedAnew(int savepoint) throws Exception {
    begin(savepoint, Fixtures.ledger());
    refused(by(Fixtures.CAROL, 1), RejectionCode.UNKNOWN_KEY);
    long granted =
        accepted(grant(until(of(Fixtures.CAROL, Role.NORMAL), SOON_MS), Fixtures.BOB))
            .committed()
            .firstJsn();
    nowMs = SOON_MS;
    accepted(by(Fixtures.CAROL, 1));
    nowMs = SOON_MS + 1;
    RequestRejectedException expired = refused(by(Fixtures.CAROL, 2), RejectionCode.REVOKED_KEY);
    assertThat(expired)
        .hasMessageContaining("granted at " + granted + " until " + Printable.time(SOON_MS));
    assertThat(expired.jsn()).hasValue(6);
    accepted(grant(of(Fixtures.CAROL, Role.REGULATOR), Fixtures.ALICE));
    accepted(by(Fixtures.CAROL, 2));
    assertThat(member(Fixtures.CAROL))
        .isEqualTo(
            new Member(
                Fixtures.CAROL.publicKey(),
                Role.REGULATOR,
                granted,
                6,
                Member.Terms.NONE,
                Member.NEVER,
                Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void aKeyIsRotatedByOneJournal(int savepoint) throws Exception {
    begin(savepoint, Fixtures.ledger());
    accepted(grant(of(Fixtures.CAROL, Role.NORMAL), Fixtures.ALICE));
    accepted(grant(replacing(of(DAVE, Role.NORMAL), Fixtures.CAROL), Fixtures.ALICE));
    accepted(by(DAVE, 1));
    refused(by(Fixtures.CAROL, 2), RejectionCode.REVOKED_KEY);
    assertThat(member(Fixtures.CAROL).replacedBy()).contains(DAVE.publicKey().kid());
    assertThat(member(Fixtures.CAROL).revokedJsn()).isEqualTo(4);
    Submission back = grant(of(Fixtures.CAROL, Role.OWNER), Fixtures.ALICE);
    refused(back, RejectionCode.REVOKED_KEY);
    refused(
        grant(replacing(of(SeededSigner.es256("eve"), Role.NORMAL), Fixtures.CAROL), Fixtures.BOB),
        RejectionCode.REVOKED_KEY);
    refused(
        grant(replacing(of(DAVE, Role.OWNER), SeededSigner.es256("eve")), Fixtures.BOB),
        RejectionCode.UNKNOWN_KEY);
    refused(
        grant(of(SeededSigner.es256("eve"), Role.NORMAL), DAVE), RejectionCode.ROLE_NOT_ALLOWED);
    refused(grant(of(Fixtures.NOTE, Role.NORMAL), Fixtures.BOB), RejectionCode.KEY_NOT_ALLOWED);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void leavesSayThatASignersKeyIsDelegated(int savepoint) throws Exception {
    begin(savepoint, Fixtures.ledger());
    accepted(grant(of(Fixtures.CAROL, Role.NORMAL), Fixtures.ALICE));
    assertThat(marked(accepted(by(Fixtures.CAROL, 1)))).isFalse();
    assertThat(marked(accepted(grant(delegated(of(DAVE, Role.NORMAL)), Fixtures.ALICE)))).isFalse();
    assertThat(marked(accepted(by(DAVE, 2)))).isTrue();
    List<Submission> mixed =
        List.of(
            ledger.submission(ledger.request(3), DAVE, Fixtures.BOB),
            ledger.submission(ledger.requests(10, 12), DAVE));
    for (Submission each : mixed) {
      assertThat(marked(accepted(each))).isTrue();
    }
    assertThat(marked(accepted(by(Fixtures.BOB, 4)))).isFalse();
    refused(grant(of(DAVE, Role.NORMAL), Fixtures.ALICE), RejectionCode.KEY_NOT_ALLOWED);
    assertThat(marked(accepted(grant(delegated(of(Fixtures.CAROL, Role.NORMAL)), Fixtures.BOB))))
        .isFalse();
    assertThat(marked(accepted(by(Fixtures.CAROL, 5)))).isTrue();
  }

  /// As told, and as every leaf says.
  private boolean marked(Receipted receipted) throws Exception {
    long first = receipted.committed().firstJsn();
    for (int i = 0; i < receipted.committed().count(); i++) {
      Leaf leaf = Leaf.decode(service.node.journal(ledger.strand(), first + i, false).leaf());
      assertThat(((JournalLeaf) leaf).delegated()).isEqualTo(receipted.committed().delegated());
    }
    return receipted.committed().delegated();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void anOwnerWithoutExpiryRemains(int savepoint) throws Exception {
    begin(savepoint, Fixtures.ledger());
    accepted(grant(until(of(Fixtures.BOB, Role.OWNER), SOON_MS), Fixtures.BOB));
    refused(ledger.memberRevoke(Fixtures.ALICE.publicKey().kid()), RejectionCode.LAST_OWNER);
    refused(
        grant(until(of(Fixtures.ALICE, Role.OWNER), SOON_MS), Fixtures.ALICE),
        RejectionCode.LAST_OWNER);
    refused(grant(of(Fixtures.ALICE, Role.REGULATOR), Fixtures.ALICE), RejectionCode.LAST_OWNER);
    refused(
        grant(replacing(until(of(DAVE, Role.OWNER), SOON_MS), Fixtures.ALICE), Fixtures.ALICE),
        RejectionCode.LAST_OWNER);
    accepted(grant(replacing(of(DAVE, Role.OWNER), Fixtures.ALICE), Fixtures.ALICE));
    refused(by(Fixtures.ALICE, 1), RejectionCode.REVOKED_KEY);
    nowMs = SOON_MS + 1;
    refused(
        ledger.govern(Kind.MEMBER_REVOKE, new Extension.MemberRevoke(DAVE.publicKey().kid()), DAVE),
        RejectionCode.LAST_OWNER);
    accepted(
        ledger.govern(
            Kind.MEMBER_REVOKE, new Extension.MemberRevoke(Fixtures.BOB.publicKey().kid()), DAVE));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void everyValidOwnerClosesALedger(int savepoint) throws Exception {
    begin(savepoint, Fixtures.ledger());
    accepted(grant(until(of(Fixtures.CAROL, Role.OWNER), SOON_MS), Fixtures.ALICE));
    RequestRejectedException missing =
        refused(closing(Fixtures.ALICE), RejectionCode.SIGNATURES_MISSING);
    assertThat(missing)
        .hasMessageContaining("OWNER " + Fixtures.BOB.publicKey().kid())
        .hasMessageContaining("OWNER " + Fixtures.CAROL.publicKey().kid());
    nowMs = SOON_MS + 1;
    refused(closing(Fixtures.ALICE, Fixtures.CAROL, Fixtures.BOB), RejectionCode.REVOKED_KEY);
    long closed = accepted(closing(Fixtures.ALICE, Fixtures.BOB)).committed().firstJsn();
    RequestRejectedException late = refused(by(Fixtures.ALICE, 1), RejectionCode.LEDGER_CLOSED);
    assertThat(late.jsn()).hasValue(closed);
    refused(ledger.batch(1, 3), RejectionCode.LEDGER_CLOSED);
    refused(grant(of(DAVE, Role.NORMAL), Fixtures.BOB), RejectionCode.LEDGER_CLOSED);
    refused(ledger.clueTrieFrom(50), RejectionCode.LEDGER_CLOSED);
    assertThat(service.node.ledger(ledger.strand().ledger()).size()).isEqualTo(closed + 2);
  }

  private Submission closing(SeededSigner... owners) {
    return ledger.govern(Kind.CLOSE, Extension.Close.INSTANCE, owners);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void aDelegatedLedgerTakesNormalMembersAsAgentsOnly(int savepoint) throws Exception {
    begin(savepoint, Fixtures.ledger().withFeatures(Set.of(Feature.DELEGATED, Feature.PERMANENT)));
    refused(
        ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()), RejectionCode.ROLE_NOT_ALLOWED);
    refused(grant(of(DAVE, Role.NORMAL), Fixtures.BOB), RejectionCode.ROLE_NOT_ALLOWED);
    accepted(grant(delegated(of(DAVE, Role.NORMAL)), Fixtures.BOB));
    accepted(ledger.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()));
    assertThat(marked(accepted(by(DAVE, 1)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void aMonoLedgerHasOneOwner(int savepoint) throws Exception {
    begin(savepoint, mono());
    refused(
        ledger.memberAdd(Role.OWNER, Fixtures.CAROL.publicKey()), RejectionCode.ROLE_NOT_ALLOWED);
    refused(grant(of(DAVE, Role.NORMAL), Fixtures.ALICE), RejectionCode.ROLE_NOT_ALLOWED);
    refused(grant(of(DAVE, Role.OWNER), Fixtures.ALICE), RejectionCode.ROLE_NOT_ALLOWED);
    accepted(grant(of(DAVE, Role.REGULATOR), Fixtures.ALICE));
    accepted(grant(replacing(of(DAVE, Role.OWNER), Fixtures.ALICE), Fixtures.ALICE));
    refused(by(Fixtures.ALICE, 1), RejectionCode.REVOKED_KEY);
    accepted(by(DAVE, 1));
  }

  @Test
  void takesNoCertificateWithoutAnAuthority() throws Exception {
    begin(1, Fixtures.ledger());
    Extension.Grant shown =
        new Extension.Grant(
            Role.NORMAL,
            DAVE.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.of(DIGEST));
    refused(grant(shown, Fixtures.ALICE), RejectionCode.CERTIFICATE_INVALID);
  }
}
