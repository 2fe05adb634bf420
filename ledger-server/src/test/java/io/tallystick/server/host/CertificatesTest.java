package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.TestAuthority.Terms;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a grant that names certificates is taken only with a good chain of the granted key, judged
/// at its leaf's time; a chain that it names is kept over a crash, and one that none names is
/// dropped. Method: a node on memory, whose rows are put back to where they were before the grant.
class CertificatesTest {
  private static final long NOW = Fixtures.TIME_MS;
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final TestAuthority CA = TestAuthority.root("root").below("department");
  private static final CertificateChain DAVES = CA.chain("Dave", DAVE.publicKey());

  private InMemoryDisk disk = new InMemoryDisk();
  private final Fixtures ledger = Fixtures.ledger();
  private final LedgerId id = ledger.params().ledgerId();
  private InMemoryMetaStore meta = new InMemoryMetaStore();
  private long nowMs = NOW;
  private TestNode service;

  @BeforeEach
  void begin() throws Exception {
    open();
    service.node.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(),
            RequestSigner.signGenesis(ledger.params(), Fixtures.owners()).encode(),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
            TestNode.SIGNATURES));
  }

  private void open() throws Exception {
    service = new TestNode(disk, meta, TestNode.CONFIG.withSavepointEvery(100_000, 3_600_000));
    service.clock.set(nowMs);
    service.trust(CA.trusted());
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private MemberCertificates certificates() {
    return service.node.memberCertificates().orElseThrow();
  }

  private Submission grant(CertificateChain chain) {
    Extension.Grant grant =
        new Extension.Grant(
            Role.NORMAL,
            DAVE.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.of(chain.digest()));
    return ledger.govern(Kind.GRANT, grant, Fixtures.ALICE);
  }

  private void refused(Submission submission, String detail) {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(ledger, submission));
    assertThat(refusal).as(detail).isNotNull();
    assertThat(refusal.code()).isEqualTo(RejectionCode.CERTIFICATE_INVALID);
    assertThat(refusal).hasMessageContaining(detail);
  }

  private void showRefused(CertificateChain chain, String detail) {
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> certificates().show(id, chain));
    assertThat(refusal).as(detail).isNotNull();
    assertThat(refusal.code()).isEqualTo(RejectionCode.CERTIFICATE_INVALID);
    assertThat(refusal).hasMessageContaining(detail);
  }

  @Test
  void aGrantIsTakenWithItsChain() throws Exception {
    refused(grant(DAVES), "was not shown");
    assertThat(certificates().show(id, DAVES)).isEqualTo(NOW + MemberCertificates.WAITING_MS);
    Receipted receipted = service.append(ledger, grant(DAVES));
    service.verify(ledger, receipted);
    Member dave = service.node.member(id, DAVE.publicKey().kid()).orElseThrow();
    assertThat(dave.terms().certDigest()).contains(DAVES.digest());
    assertThat(certificates().find(id, DAVES.digest())).contains(DAVES);
    assertThat(certificates().show(id, DAVES)).isEqualTo(Member.NEVER);

    assertThat(disk.list("objects")).hasSize(1);
    String folder = "objects/" + disk.list("objects").getFirst();
    assertThat(disk.list(folder)).hasSize(1);
    assertThat(certificates().erase(id, DAVES.digest())).isTrue();
    assertThat(disk.list(folder)).as("its bytes").isEmpty();
    assertThat(certificates().erase(id, DAVES.digest())).isFalse();
    close();
    open();
    assertThat(certificates().find(id, DAVES.digest())).isEmpty();
    assertThat(service.append(ledger, grant(DAVES)).committed().repeated())
        .as("a repeat needs no chain")
        .isTrue();
  }

  @Test
  void badChainsAreRefused() throws Exception {
    showRefused(TestAuthority.root("x").chain("Dave", DAVE.publicKey()), "UNTRUSTED");
    showRefused(CA.chain("Dave", DAVE.publicKey(), Terms.MEMBER.until(NOW - 1_000)), "OUT_OF_DATE");
    CertificateChain bobs = CA.chain("Dave", Fixtures.BOB.publicKey());
    certificates().show(id, bobs);
    refused(grant(bobs), "WRONG_KEY");
    CertificateChain soon = CA.chain("Dave", DAVE.publicKey(), Terms.MEMBER.until(NOW + 1_000));
    certificates().show(id, soon);
    nowMs = NOW + 2_000;
    service.clock.set(nowMs);
    refused(grant(soon), "OUT_OF_DATE");
    service.trust(TestAuthority.root("x").trusted());
    certificates().erase(id, soon.digest());
    showRefused(DAVES, "UNTRUSTED");
    refused(grant(bobs), "UNTRUSTED");
  }

  @Test
  void withoutAnAuthorityNoChainIsTaken() throws Exception {
    certificates().show(id, DAVES);
    service.close();
    service = new TestNode(disk, meta, TestNode.CONFIG);
    service.clock.set(nowMs);
    showRefused(DAVES, "knows no certificate authority");
    refused(grant(DAVES), "knows no certificate authority");
  }

  @Test
  void aCrashLosesNoChainThatAGrantNames() throws Exception {
    certificates().show(id, DAVES);
    InMemoryMetaStore before = meta.copy();
    service.append(ledger, grant(DAVES));
    service.close();
    meta = before; // the frame is durable, and nothing that came of it
    open();
    nowMs = NOW + 40L * 24 * 3_600_000;
    service.clock.set(nowMs);
    CertificateChain other = CA.chain("Erin", SeededSigner.ed25519("erin").publicKey());
    certificates().show(id, other); // drops what has waited
    assertThat(certificates().find(id, DAVES.digest())).contains(DAVES);
  }

  @Test
  void aChainThatNoGrantNamesIsDropped() throws Exception {
    certificates().show(id, DAVES);
    nowMs = NOW + MemberCertificates.WAITING_MS + 1;
    service.clock.set(nowMs);
    assertThat(certificates().find(id, DAVES.digest())).isEmpty();
    nowMs = NOW + 40L * 24 * 3_600_000;
    close();
    open();
    CertificateChain other = CA.chain("Erin", SeededSigner.ed25519("erin").publicKey());
    certificates().show(id, other);
    assertThat(certificates().erase(id, DAVES.digest())).as("still kept").isFalse();
  }

  @Test
  void whatHasWaitedIsDroppedInEveryLedger() throws Exception {
    LedgerId other = new LedgerId(Digest.ZERO);
    certificates().show(id, DAVES);
    certificates().show(other, DAVES);
    service.append(ledger, grant(DAVES));
    nowMs = NOW + MemberCertificates.WAITING_MS + 23L * 3_600_000;
    service.clock.set(nowMs);
    certificates().dropExpired();
    InMemoryMetaStore before = meta.copy();
    InMemoryDisk filesBefore = disk.copy();
    nowMs = NOW + 40L * 24 * 3_600_000;
    service.clock.set(nowMs);
    certificates().dropExpired();
    assertThat(certificates().find(id, DAVES.digest())).as("a grant names it").contains(DAVES);
    assertThat(certificates().erase(other, DAVES.digest())).as("still kept").isFalse();
    close();
    meta = before;
    disk = filesBefore;
    open();
    assertThat(certificates().erase(other, DAVES.digest())).as("dropped too soon").isTrue();
  }

  @Test
  void onlySoManyWait() throws Exception {
    for (int i = 0; i < MemberCertificates.WAITING_MAX; i++) {
      certificates().show(id, CA.chain("Dave " + i, DAVE.publicKey()));
    }
    certificates().show(id, CA.chain("Dave 0", DAVE.publicKey()));
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> certificates().show(id, DAVES));
    assertThat(refusal.code()).isEqualTo(RejectionCode.RATE_LIMITED);
  }
}
