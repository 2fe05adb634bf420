package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedCertificates.Certified;
import io.tallystick.audit.finding.AuditedCertificates.Verdict;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.CertificateOptions;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.CertificateFolder;
import io.tallystick.audit.source.CertificateSource;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.NamedCertificates;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.certificate.ChainVerifier;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.TestAuthority.Terms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an auditor judges the certificates of grants anew, by authorities of its own, at the time
/// of each grant. Method: logs whose grants name a chain that is right, or wrong in one way.
class CertificateAuditTest {
  private static final PublicKey CAROL = Fixtures.CAROL.publicKey();
  private static final TestAuthority CA = TestAuthority.root("root").below("department");
  private static final CertificateChain GOOD = CA.chain("Carol", CAROL);

  /// Of the block of the first grant.
  private static final int GRANT = 2;

  @TempDir private Path folder;

  private static Extension.Grant grant(PublicKey key, Digest certDigest) {
    return new Extension.Grant(
        Role.NORMAL, key, OptionalLong.empty(), Optional.empty(), false, Optional.of(certDigest));
  }

  private static MemoryLog log(CertificateChain named) {
    return MemoryLog.of(
        ReferenceLedger.found(FIXTURES)
            .append(FIXTURES.govern(Kind.GRANT, grant(CAROL, named.digest()), Fixtures.ALICE))
            .seal());
  }

  private static AuditReport audit(MemoryLog log, CertificateSource source) {
    return Logs.audit(
        log,
        Logs.OPTIONS.withCertificates(
            new CertificateOptions(Optional.of(new ChainVerifier(CA.trusted())), source)));
  }

  private static void wrong(CertificateChain named, CertificateSource source, String rule) {
    AuditReport report = audit(log(named), source);
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.CERTIFICATE_INVALID);
    assertThat(fault.jsn()).isEqualTo(GRANT);
    assertThat(fault.detail()).contains(CAROL.kid().hex()).contains(rule);
    assertThat(report.certificates().wrong()).isEqualTo(1);
    assertThat(AuditSummary.of(report).certificates().grants().getFirst().verdict())
        .isEqualTo("wrong");
    assertThat(AuditPage.of(report)).contains("CERTIFICATE_INVALID");
  }

  private static void wrong(CertificateChain named, String rule) {
    wrong(named, _ -> Optional.of(named), rule);
  }

  @Test
  void saysWhoseKeyItIs() throws Exception {
    CertificateFolder files = new CertificateFolder(folder);
    assertThat(files.add(List.of(GOOD.digest()), _ -> Optional.of(GOOD))).isEqualTo(1);
    AuditReport report = audit(log(GOOD), files);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.certificates())
        .isEqualTo(
            new AuditedCertificates(
                1,
                0,
                0,
                0,
                List.of(
                    new Certified(GRANT, CAROL.kid(), GOOD.digest(), "CN=Carol", Verdict.GOOD))));
    assertThat(AuditText.of(report))
        .contains("1 grant with certificates: 1 good, 0 wrong, 0 erased or not served")
        .contains(CAROL.kid() + " at 2: CN=Carol");
    assertThat(AuditPage.of(report)).contains("<h2>Certificates</h2>").contains("CN=Carol");
  }

  @Test
  void namesTheTamperedTwins() {
    wrong(CA.chain("Carol", Fixtures.BOB.publicKey()), "WRONG_KEY");
    wrong(CA.chain("Carol", CAROL, Terms.MEMBER.until(Fixtures.TIME_MS - 1_000)), "OUT_OF_DATE");
    wrong(TestAuthority.root("stranger").chain("Carol", CAROL), "UNTRUSTED");
    wrong(GOOD, _ -> Optional.of(CA.chain("Mallory", CAROL)), "WRONG_DIGEST");
    wrong(
        GOOD,
        _ -> {
          throw new MalformedException("no certificate");
        },
        "no certificate");
  }

  @Test
  void countsWhatIsErasedAndWhatIsNotJudged() throws Exception {
    AuditReport report = audit(log(GOOD), CertificateSource.NONE);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.certificates().missing()).isEqualTo(1);
    assertThat(AuditText.of(report)).contains("1 erased or not served");
    AuditReport unjudged = Logs.audit(log(GOOD));
    assertThat(unjudged.certificates().unjudged()).isEqualTo(1);
    assertThat(AuditText.of(unjudged)).contains("1 grant with certificates, NOT JUDGED");
    Files.writeString(folder.resolve(GOOD.digest().hex() + ".pem"), "nothing");
    wrong(GOOD, new CertificateFolder(folder), "certificates in PEM");
  }

  @Test
  void findsTheNamesOfALog() throws Exception {
    NamedCertificates named = new NamedCertificates(log(GOOD));
    try (LogSource.LogReader reader = named.open()) {
      while (reader.next() != null) {}
    }
    assertThat(named.named()).containsExactly(GOOD.digest());
    assertThat(new CertificateFolder(folder).add(named.named(), CertificateSource.NONE)).isZero();
  }

  @Test
  void aLogThatNotesNamesHasAllThatItsSourceHas() throws Exception {
    Bytes note = Bytes.utf8("cosigned");
    Bytes chain = Bytes.utf8("chain");
    LogSource source =
        new LoneLog() {
          @Override
          public LogReader open() {
            throw new AssertionError("asked for a later leaf");
          }

          @Override
          public LogReader open(long jsn, long at) throws IOException, LogFormatException {
            assertThat(at).isEqualTo(7);
            return log(GOOD).open(jsn, 0);
          }

          @Override
          public Optional<Bytes> keyChain() {
            return Optional.of(chain);
          }

          @Override
          public Optional<Bytes> cosigned() {
            return Optional.of(note);
          }
        };
    NamedCertificates named = new NamedCertificates(source);
    assertThat(named.cosigned()).contains(note);
    assertThat(named.keyChain()).contains(chain);
    try (LogSource.LogReader reader = named.open(1, 7)) {
      while (reader.next() != null) {}
    }
    assertThat(named.named()).containsExactly(GOOD.digest());
  }

  @Test
  void laterGrantsAreJudgedToo() {
    PublicKey dave = SeededSigner.ed25519("dave").publicKey();
    CertificateChain daves = CA.chain("Dave", dave);
    MemoryLog log =
        MemoryLog.of(
            ReferenceLedger.found(FIXTURES)
                .append(FIXTURES.govern(Kind.GRANT, grant(CAROL, GOOD.digest()), Fixtures.ALICE))
                .seal()
                .append(FIXTURES.govern(Kind.GRANT, grant(dave, daves.digest()), Fixtures.ALICE))
                .seal());
    AuditReport report =
        audit(log, digest -> digest.equals(GOOD.digest()) ? Optional.empty() : Optional.of(daves));
    assertThat(report.certificates().good()).isEqualTo(1);
    assertThat(report.certificates().missing()).isEqualTo(1);
  }
}
