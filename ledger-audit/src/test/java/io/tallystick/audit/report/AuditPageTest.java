package io.tallystick.audit.report;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.io.StringReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/// Goal: a report says who could sign at the end and since when, and by which keys the service did,
/// also if an earlier run audited that; its page shows all of it, and nothing that a log says can
/// become markup. Method: a log with every change of people, and a fault that quotes markup.
class AuditPageTest {
  private static final Digest ALICE = Fixtures.ALICE.publicKey().kid();
  private static final Digest BOB = Fixtures.BOB.publicKey().kid();
  private static final Digest CAROL = Fixtures.CAROL.publicKey().kid();
  private static final Signer DORA = signer();

  @TempDir private Path folder;

  private static Signer signer() {
    return SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  }

  /// Carol becomes a regulator (2), then a normal member until + 25 ms whose key is an agent's (4);
  /// Dora takes Bob's place as a regulator (6); the service's keys change (8).
  private static ReferenceLedger log() {
    return ReferenceLedger.found(FIXTURES)
        .blocks(
            FIXTURES.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()),
            FIXTURES.govern(
                Kind.GRANT,
                new Extension.Grant(
                    Role.NORMAL,
                    Fixtures.CAROL.publicKey(),
                    OptionalLong.of(Fixtures.TIME_MS + 25),
                    Optional.empty(),
                    true,
                    Optional.empty()),
                Fixtures.ALICE),
            FIXTURES.govern(
                Kind.GRANT,
                new Extension.Grant(
                    Role.REGULATOR,
                    DORA.publicKey(),
                    OptionalLong.empty(),
                    Optional.of(BOB),
                    false,
                    Optional.empty()),
                Fixtures.ALICE),
            FIXTURES.rotation());
  }

  private static MemoryLog rotated() {
    return MemoryLog.of(log());
  }

  private static AuditedPeople.Member member(AuditReport report, Digest kid) {
    return report.people().members().stream()
        .filter(each -> each.kid().equals(kid))
        .findFirst()
        .orElseThrow();
  }

  private static void assertPeople(AuditReport report) {
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.people().members()).hasSize(4);
    assertThat(member(report, ALICE))
        .isEqualTo(
            new AuditedPeople.Member(
                ALICE,
                Role.OWNER,
                AuditedPeople.Standing.VALID,
                0,
                -1,
                false,
                -1,
                Optional.empty()));
    assertThat(member(report, BOB))
        .isEqualTo(
            new AuditedPeople.Member(
                BOB,
                Role.OWNER,
                AuditedPeople.Standing.REPLACED,
                0,
                -1,
                false,
                6,
                Optional.of(DORA.publicKey().kid())));
    assertThat(member(report, CAROL))
        .isEqualTo(
            new AuditedPeople.Member(
                CAROL,
                Role.NORMAL,
                AuditedPeople.Standing.EXPIRED,
                4,
                Fixtures.TIME_MS + 25,
                true,
                -1,
                Optional.empty()));
    assertThat(report.people().rotations())
        .containsExactly(
            new AuditedPeople.Rotation(
                8, Fixtures.NEXT_NOTE.publicKey().kid(), Fixtures.NEXT_RECEIPT.publicKey().kid()));
  }

  @Test
  void saysWhoCouldSignAndSinceWhen() {
    AuditReport report = Logs.audit(rotated());
    assertPeople(report);
    assertThat(AuditText.of(report))
        .contains("members  4, 2 of them valid at the end\n")
        .contains(BOB + " owner, since 0, replaced at 6 by " + DORA.publicKey().kid())
        .contains("normal, since 4, delegated, expired 2026-09-21T14:13:20.025Z")
        .contains("keys     rotated 1 time\n");
    assertThat(AuditSummary.of(report).memberCount()).isEqualTo(4);
  }

  @Test
  void knowsItAlsoFromAStatement() throws Exception {
    AuditStatements statements = new AuditStatements(folder, signer(), Duration.ZERO);
    Logs.AUDITOR.audit(FIXTURES.strand(), rotated(), Logs.OPTIONS, statements);
    AuditReport report = Logs.AUDITOR.audit(FIXTURES.strand(), rotated(), Logs.OPTIONS, statements);
    assertThat(report.resumedFrom()).isPositive();
    assertPeople(report);
  }

  @Test
  void showsItOnAPageThatNeedsNothingElse() throws Exception {
    String page = AuditPage.of(Logs.audit(rotated()));
    assertThat(page)
        .contains("<h1 class=\"passed\">", CAROL.hex(), "expired", "rotation at")
        .contains(Fixtures.NEXT_NOTE.publicKey().kid().hex())
        .doesNotContain("<script", "src=", "href=");
    parse(page);
  }

  @Test
  void whatALogSaysIsNoMarkup() throws Exception {
    AuditReport passed = Logs.audit(rotated());
    List<AuditFault> faults = new ArrayList<>();
    faults.add(
        new AuditFault(7, FaultKind.LOG_DAMAGED, "<script>alert('1')</script> & \"quoted\""));
    AuditReport report =
        new AuditReport(
            passed.strand(),
            new TreeSize(7),
            new JournalRoot(Digest.ZERO),
            passed.counts(),
            faults,
            1,
            false,
            false,
            0,
            Optional.empty(),
            true,
            passed.time(),
            passed.people(),
            Optional.empty(),
            passed.gossip(),
            passed.heard(),
            passed.signed(),
            passed.age(),
            passed.certificates(),
            passed.removals(),
            passed.elapsed());
    assertThat(AuditPage.of(report))
        .contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;quoted&quot;")
        .contains("<h1 class=\"failed\">Failed at jsn 7")
        .doesNotContain("<script");
    parse(AuditPage.of(report));
  }

  /// Well formed, as XML once the two void elements are closed.
  private static void parse(String page) throws Exception {
    String xml =
        page.replaceFirst("<!DOCTYPE html>", "").replaceAll("(<meta [^>]*)>", "$1/>").strip();
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(xml)));
    assertThat(document.getElementsByTagName("h1").getLength()).isEqualTo(1);
    assertThat(document.getElementsByTagName("h2").getLength()).isEqualTo(5);
  }
}
