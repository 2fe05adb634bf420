package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedCertificates.Certified;
import io.tallystick.audit.finding.AuditedCertificates.Verdict;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.options.CertificateOptions;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.certificate.CertificateRefusedException;
import io.tallystick.certificate.ChainVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Judges the certificates of each grant as it comes, at its leaf's time. Not thread-safe.
final class CertificateReplay {
  private static final int KEPT_MAX = 1_000;

  private final CertificateOptions options;
  private final Findings findings;
  private final List<Certified> grants = new ArrayList<>();
  private final Map<Verdict, Long> counts = new EnumMap<>(Verdict.class);

  CertificateReplay(CertificateOptions options, Findings findings) {
    this.options = options;
    this.findings = findings;
  }

  /// @throws FaultException if the chain is wrong and the audit is to end at the first fault
  void judge(long jsn, long timeMs, Extension.Grant grant) throws FaultException, IOException {
    if (grant.certDigest().isEmpty()) {
      return;
    }
    Digest digest = grant.certDigest().get();
    try {
      Optional<String> subject = subject(digest, timeMs, grant);
      Verdict other = options.verifier().isPresent() ? Verdict.MISSING : Verdict.UNJUDGED;
      note(jsn, grant, digest, subject.orElse(""), subject.isPresent() ? Verdict.GOOD : other);
    } catch (CertificateRefusedException | MalformedException e) {
      note(jsn, grant, digest, "", Verdict.WRONG);
      findings.add(
          new AuditFault(
              jsn,
              FaultKind.CERTIFICATE_INVALID,
              String.format(
                  Locale.ROOT,
                  "key %s, certificates %s: %s",
                  grant.key().kid(),
                  digest,
                  e.getMessage())));
    }
  }

  /// @return empty if there is no chain or nobody to judge it by
  private Optional<String> subject(Digest digest, long timeMs, Extension.Grant grant)
      throws CertificateRefusedException, IOException, MalformedException {
    Optional<ChainVerifier> verifier = options.verifier();
    if (verifier.isEmpty()) {
      return Optional.empty();
    }
    Optional<CertificateChain> chain = options.source().chain(digest);
    if (chain.isEmpty()) {
      return Optional.empty();
    }
    verifier.get().verify(chain.get(), digest, grant.key(), timeMs);
    return Optional.of(chain.get().subject());
  }

  private void note(
      long jsn, Extension.Grant grant, Digest digest, String subject, Verdict verdict) {
    counts.merge(verdict, 1L, Long::sum);
    if (grants.size() < KEPT_MAX) {
      grants.add(new Certified(jsn, grant.key().kid(), digest, subject, verdict));
    }
  }

  AuditedCertificates report() {
    return new AuditedCertificates(
        count(Verdict.GOOD),
        count(Verdict.WRONG),
        count(Verdict.MISSING),
        count(Verdict.UNJUDGED),
        grants);
  }

  private long count(Verdict verdict) {
    return counts.getOrDefault(verdict, 0L);
  }
}
