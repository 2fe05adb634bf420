package io.tallystick.proxy.read;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.MembersView;
import io.tallystick.node.NodeChange;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificates of members, as one caller shows, reads and erases them. They are read as
/// members are; whoever shows some needs the token of a member that may append, and who erases some
/// that of an owner, also in a public ledger.
public record ReadableCertificates(LedgerRegistry registry, ReadAccess access, Bearer bearer) {
  private static final Logger LOG = LoggerFactory.getLogger(ReadableCertificates.class);

  /// Logged already.
  private static final Set<Digest> DAMAGED = ConcurrentHashMap.newKeySet();

  /// A chain that waits for the grant that names it.
  ///
  /// @param untilMs until when; {@link Member#NEVER} if a grant has named it
  public record Shown(CertificateChain chain, long untilMs) {
    /// The name in the first certificate.
    public String subject() throws RequestRejectedException {
      return ReadableCertificates.subject(chain);
    }
  }

  /// @throws RequestRejectedException `CERTIFICATE_INVALID`, `RATE_LIMITED`; as {@link
  ///   ReadAccess#appender}
  public Shown show(LedgerId ledger, CertificateChain chain) throws RequestRejectedException {
    access.appender(ledger, bearer);
    MemberCertificates certificates =
        registry
            .nodeOf(ledger)
            .memberCertificates()
            .orElseThrow(() ->
                new RequestRejectedException(
                    RejectionCode.CERTIFICATE_INVALID, "this service keeps no certificates"));
    return new Shown(chain, certificates.show(ledger, chain));
  }

  /// The chain that the newest grant of a member's key names.
  ///
  /// @throws RequestRejectedException `UNKNOWN_CERTIFICATE`
  public CertificateChain ofMember(LedgerId ledger, Digest kid) throws RequestRejectedException {
    LedgerNode node = access.node(ledger, bearer, Scope.EVIDENCE);
    Optional<Digest> digest =
        node.member(ledger, kid).flatMap(member -> member.terms().certDigest());
    if (digest.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_CERTIFICATE, "key " + kid + " has no certificates here");
    }
    return find(node, ledger, digest.get());
  }

  /// A chain that a grant names, the newest of its key or not.
  ///
  /// @throws RequestRejectedException `UNKNOWN_CERTIFICATE`
  public CertificateChain named(LedgerId ledger, Digest certDigest)
      throws RequestRejectedException {
    return find(access.node(ledger, bearer, Scope.EVIDENCE), ledger, certDigest);
  }

  private static CertificateChain find(LedgerNode node, LedgerId ledger, Digest digest)
      throws RequestRejectedException {
    Optional<MemberCertificates> certificates = node.memberCertificates();
    Optional<CertificateChain> chain =
        certificates.isEmpty() ? Optional.empty() : certificates.get().find(ledger, digest);
    return chain.orElseThrow(() -> unknown(digest));
  }

  private static RequestRejectedException unknown(Digest digest) {
    return new RequestRejectedException(
        RejectionCode.UNKNOWN_CERTIFICATE,
        "certificates " + digest + " are not kept for this ledger, or were erased");
  }

  /// Forgets a chain, whether a grant names it or not. The journal stays as it is.
  ///
  /// @throws RequestRejectedException `UNKNOWN_CERTIFICATE`; `ROLE_NOT_ALLOWED` unless an owner
  ///   asks
  public void erase(LedgerId ledger, Digest certDigest) throws RequestRejectedException {
    Member member = access.appendingMember(ledger, bearer);
    if (member.role() != Role.OWNER) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED, "member " + member.key().kid() + " is no owner");
    }
    LedgerNode node = registry.nodeOf(ledger);
    if (node.memberCertificates().isEmpty()
        || !node.change(new NodeChange.EraseCertificates(ledger, certDigest, bearer.ofMember()))) {
      throw unknown(certDigest);
    }
  }

  /// With the names in those of their certificates that are kept and can be read. A damaged one is
  /// logged once.
  static ShownMembers subjects(LedgerNode node, LedgerId ledger, MembersView view)
      throws RequestRejectedException {
    Map<Digest, String> subjects = new HashMap<>();
    Optional<MemberCertificates> certificates = node.memberCertificates();
    for (Member member : view.members()) {
      Optional<Digest> digest = member.terms().certDigest();
      if (digest.isPresent() && certificates.isPresent()) {
        subjectOf(certificates.get(), ledger, digest.get())
            .ifPresent(subject -> subjects.put(digest.get(), subject));
      }
    }
    return new ShownMembers(view, subjects);
  }

  private static Optional<String> subjectOf(
      MemberCertificates certificates, LedgerId ledger, Digest digest)
      throws RequestRejectedException {
    try {
      Optional<CertificateChain> chain = certificates.find(ledger, digest);
      return chain.isEmpty() ? Optional.empty() : Optional.of(subject(chain.get()));
    } catch (RequestRejectedException e) {
      if (e.code() != RejectionCode.DAMAGED) {
        throw e;
      }
      if (DAMAGED.add(digest)) {
        LOG.warn("Ledger {}: a member is listed without a subject: {}", ledger, e.getMessage());
      }
      return Optional.empty();
    }
  }

  private static String subject(CertificateChain chain) throws RequestRejectedException {
    try {
      return chain.subject();
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "a kept certificate: " + e.getMessage(), e);
    }
  }
}
