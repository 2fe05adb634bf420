package io.tallystick.audit.history;

import io.tallystick.audit.chunk.AttestationCheck;
import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.AttestationVerifier.Signer;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/// The submissions of clients and of the service, judged in the order of the log: who signed,
/// whether they may, and what it changes. Not thread-safe.
final class SubmissionReplay {
  private final AuditContext context;
  private final ServiceReplay service;
  private final MemberReplay members;
  private final FeatureReplay features;
  private final TimeReplay times;
  private final CertificateReplay certificates;
  private final RemovalReplay removals;
  private final SignatureWindow used;
  private final AttestationCheck attestations;
  private final Findings findings;
  private final RunningCounts counts;

  SubmissionReplay(
      AuditContext context,
      FeatureReplay features,
      TimeReplay times,
      CertificateReplay certificates,
      RemovalReplay removals,
      SignatureWindow used,
      Findings findings,
      RunningCounts counts) {
    this.context = context;
    this.service = new ServiceReplay(context.genesis());
    this.members = new MemberReplay(context.genesis(), service);
    this.features = features;
    this.times = times;
    this.certificates = certificates;
    this.removals = removals;
    this.used = used;
    this.attestations = new AttestationCheck(context);
    this.findings = findings;
    this.counts = counts;
  }

  MemberReplay members() {
    return members;
  }

  ServiceReplay service() {
    return service;
  }

  /// @param lastHash of the submission's last leaf
  /// @param blocks before that leaf
  /// @throws FaultException with a fault that ends the audit
  void judge(Event.Submission submission, long timeMs, Digest lastHash, BlockReplay blocks)
      throws FaultException, AuditLimitException, IOException {
    boolean time = submission.extension() instanceof Extension.Time;
    boolean removal = submission.extension() instanceof Extension.Removal;
    try {
      check(submission, timeMs, blocks);
      removals.submitted(submission, timeMs);
    } catch (FaultException e) {
      // The members and keys from here on would be a guess; these change neither.
      if (submission.governance() && !time && !removal) {
        throw e;
      }
      findings.add(e.fault());
    }
    if (time) {
      times.follow(submission.firstJsn(), lastHash);
    }
    if (submission.extension() instanceof Extension.Grant grant) {
      certificates.judge(submission.firstJsn(), timeMs, grant);
    }
  }

  private void check(Event.Submission submission, long timeMs, BlockReplay blocks)
      throws FaultException, AuditLimitException, IOException {
    long jsn = submission.firstJsn();
    Extension change = submission.extension();
    if (submission.verdict() instanceof Event.Verdict.Bad(AuditFault fault, boolean readable)
        && !readable) {
      throw new FaultException(fault);
    }
    members.checkOpen(jsn, change);
    members.checkMembers(jsn, timeMs, submission.kids());
    List<Signer> signers = attestations.signers(jsn, submission.verdict(), members);
    members.checkRoles(jsn, timeMs, submission.kids(), change);
    members.checkFlags(jsn, submission.kids(), submission.flags());
    checkUnused(submission, signers, timeMs);
    if (members.apply(jsn, timeMs, change)) {
      counts.memberChanges++;
    }
    if (!context.vouched(jsn, submission.count(), submission.governance())) {
      counts.signatures += signers.size();
    }
    counts.batches += submission.count() > 1 ? 1 : 0;
    switch (change) {
      case Extension.Parameters parameters -> features.apply(jsn, blocks.height(), parameters);
      case Extension.KeyRotation rotation ->
          service.rotate(jsn, blocks.firstJsn(), rotation, members);
      case Extension.Time anchor -> times.check(jsn, timeMs, anchor);
      case Extension.Removal removal ->
          removals.remove(
              new RemovalReplay.Signed(jsn, timeMs, submission.kids(), blocks.firstJsn()),
              removal,
              members);
      case Extension.None _,
          Extension.MemberAdd _,
          Extension.MemberRevoke _,
          Extension.Grant _,
          Extension.Close _ -> {}
    }
  }

  private void checkUnused(Event.Submission submission, List<Signer> signers, long timeMs)
      throws FaultException, AuditLimitException {
    long jsn = submission.firstJsn();
    for (Signer signer : signers) {
      OptionalLong first = used.find(signer.signatureId(), timeMs);
      if (first.isPresent()) {
        throw new FaultException(
            jsn,
            FaultKind.REPLAYED,
            "signature " + signer.signatureId() + " was used at " + first.getAsLong());
      }
    }
    for (Signer signer : signers) {
      used.add(signer.signatureId(), jsn, submission.expiresMs(), timeMs);
    }
  }

  /// Goes on behind the seal up to which a log was purged: the journals that stay from below are
  /// carried out; they have been verified.
  void begin(Beginning beginning, Digest root)
      throws FaultException, AuditLimitException, IOException {
    try {
      List<ServiceKeys.Term> terms = beginning.start().keptKeys().terms();
      service.restore(terms.subList(1, terms.size()));
    } catch (StatementException e) {
      throw new AssertionError("these terms were made in order", e);
    }
    for (Beginning.Kept kept : beginning.kept()) {
      Extension change = kept.journal().header().extension();
      context.keys().publishNew(change);
      removals.kept(kept, members);
      var _ = members.apply(kept.jsn(), kept.journal().timeMs(), change);
      if (change instanceof Extension.Parameters parameters) {
        features.restore(parameters.firstHeight());
      }
    }
    times.begin(beginning, root);
    used.restore(beginning.window(), beginning.seal().timeMs());
  }

  /// Goes on from a statement, before anything was added.
  void restore(AuditStatement statement) throws AuditLimitException, StatementException {
    members.restore(statement.members(), statement.trust().closedJsn());
    service.restore(statement.trust().rotations());
    times.restore(statement.trust().time());
    used.restore(statement.window(), statement.head().timeMs());
  }
}
