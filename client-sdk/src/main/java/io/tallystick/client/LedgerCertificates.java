package io.tallystick.client;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// X.509 chains that members show for their keys, as the service keeps them beside the ledger. What
/// it gives is checked to be the chain that was asked for; whom it is issued by is for {@link
/// io.tallystick.certificate.ChainVerifier} and the authorities that the caller trusts.
/// Thread-safe.
public final class LedgerCertificates {
  private final LedgerCalls calls;
  private final MemberDirectory members;

  LedgerCertificates(LedgerCalls calls, MemberDirectory members) {
    this.calls = calls;
    this.members = members;
  }

  /// Has the service keep a chain, for a grant that names its digest: for 31 days, and for good
  /// once one does. Needs the token of a member that may append.
  ///
  /// @throws RequestRefusedException `certificate_invalid`
  public void show(CertificateChain chain) throws TallyException {
    Digest kept = calls.showCertificates(chain);
    if (!kept.equals(chain.digest())) {
      throw mismatch(chain.digest(), kept);
    }
  }

  /// The chain that the newest grant of a member's key names. That the grant does is verified in
  /// the ledger.
  ///
  /// @throws RequestRefusedException `unknown_certificate` if it was erased
  /// @throws IllegalArgumentException if the key is no member's, or has no certificates
  public CertificateChain ofMember(Digest kid) throws TallyException {
    for (LedgerMember member : members.members()) {
      if (member.kid().equals(kid) && member.terms().certDigest().isPresent()) {
        return named(member.terms().certDigest().get());
      }
    }
    throw new IllegalArgumentException("no member " + kid + " with certificates");
  }

  /// The chain with this digest, if a grant of the ledger names it.
  ///
  /// @throws RequestRefusedException `unknown_certificate`
  public CertificateChain named(Digest certDigest) throws TallyException {
    try {
      CertificateChain chain = CertificateChain.decode(calls.certificates(certDigest));
      if (!chain.digest().equals(certDigest)) {
        throw mismatch(certDigest, chain.digest());
      }
      return chain;
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(Reason.MALFORMED, String.valueOf(e.getMessage()), e));
    }
  }

  private static VerificationException mismatch(Digest asked, Digest got) {
    return new VerificationException(
        new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH, "asked about certificates " + asked + ", got " + got));
  }

  /// Has the service forget a chain; for owners. The grant that names it stays.
  ///
  /// @throws RequestRefusedException `unknown_certificate`
  public void erase(Digest certDigest) throws TallyException {
    calls.eraseCertificates(certDigest);
  }
}
