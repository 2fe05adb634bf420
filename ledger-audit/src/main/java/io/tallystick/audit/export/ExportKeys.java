package io.tallystick.audit.export;

import io.tallystick.audit.chunk.AttestationCheck;
import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.RequestCheck;
import io.tallystick.audit.chunk.SubmissionCheck;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.history.MemberReplay;
import io.tallystick.audit.history.ServiceReplay;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// The service's keys as an exported log changes them: its rotations, and the members whose
/// signatures they need. All else of a log is for an audit. Not thread-safe.
final class ExportKeys {
  private final AuditContext context;
  private final ServiceReplay service;
  private final MemberReplay members;
  private final AttestationCheck attestations;
  private long blockJsn;

  /// @param context as genesis said
  ExportKeys(AuditContext context) {
    this.context = context;
    this.service = new ServiceReplay(context.genesis());
    this.members = new MemberReplay(context.genesis(), service);
    this.attestations = new AttestationCheck(context);
  }

  /// Goes on behind the seal up to which the log was purged: what stays from below has been
  /// verified.
  void begin(Beginning beginning) throws FaultException {
    try {
      List<ServiceKeys.Term> terms = beginning.start().keptKeys().terms();
      service.restore(terms.subList(1, terms.size()));
    } catch (StatementException e) {
      throw new AssertionError("these terms were made in order", e);
    }
    for (Beginning.Kept kept : beginning.kept()) {
      Extension change = kept.journal().header().extension();
      context.keys().publishNew(change);
      var _ = members.apply(kept.jsn(), kept.journal().timeMs(), change);
    }
    blockJsn = beginning.firstKept();
  }

  ServiceKeys keys() {
    return service.keys();
  }

  /// To be told of each entry.
  ///
  /// @throws FaultException if a change of members or keys is not attested or breaks the rules
  void add(long jsn, LogEntry entry) throws FaultException {
    Leaf leaf;
    try {
      leaf = Leaf.decode(entry.leaf());
    } catch (MalformedException e) {
      throw new FaultException(jsn, FaultKind.MALFORMED_LEAF, String.valueOf(e.getMessage()));
    }
    service.checkPlace(jsn, leaf instanceof SealLeaf);
    if (leaf instanceof SealLeaf) {
      blockJsn = jsn + 1;
    }
    if (leaf instanceof JournalLeaf journal && governs(jsn, journal)) {
      govern(jsn, journal, entry);
    }
  }

  private static boolean governs(long jsn, JournalLeaf leaf) throws FaultException {
    try {
      return leaf.batchCount() == 1 && RequestHeader.decode(leaf.header()).kind().governance();
    } catch (MalformedException e) {
      throw new FaultException(jsn, FaultKind.MALFORMED_LEAF, "header: " + e.getMessage());
    }
  }

  private void govern(long jsn, JournalLeaf leaf, LogEntry entry) throws FaultException {
    List<AuditFault> faults = new ArrayList<>();
    RequestHeader header = new RequestCheck(context, faults).check(leaf);
    if (!faults.isEmpty()) {
      throw new FaultException(faults.getFirst());
    }
    SubmissionCheck.checkAttestation(jsn, leaf, entry.attestation());
    Extension change = header.extension();
    List<RequestHeader> headers = List.of(header);
    List<Digest> hashes = List.of(RequestHeader.hash(leaf.header()));
    AttestationCheck.Result found = attestations.check(jsn, entry.attestation(), headers, hashes);
    members.checkMembers(jsn, leaf.timeMs(), found.kids());
    attestations.signers(jsn, found.verdict(), members);
    members.checkRoles(jsn, leaf.timeMs(), found.kids(), change);
    members.apply(jsn, leaf.timeMs(), change);
    if (change instanceof Extension.KeyRotation rotation) {
      service.rotate(jsn, blockJsn, rotation, members);
    }
  }
}
