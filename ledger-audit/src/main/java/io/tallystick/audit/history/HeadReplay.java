package io.tallystick.audit.history;

import io.tallystick.audit.chunk.HeldHead;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.tledger.HeadEntry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The heads that a T-Ledger holds, each a continuation of its ledger's last one. A few hundred
/// bytes for each ledger. Not thread-safe.
final class HeadReplay {
  private final Findings findings;
  private final Map<LedgerId, SignedHead> last = new HashMap<>();
  private final Set<LedgerId> unknown = new HashSet<>();
  private List<HeldHead> row = List.of();
  private int next;
  private long judged;
  private long unjudged;
  private long late;
  private long lagMs;

  HeadReplay(Findings findings) {
    this.findings = findings;
  }

  /// A chunk begins.
  void begin(List<HeldHead> heads) {
    row = heads;
    next = 0;
  }

  /// To be told of each leaf in order.
  void leaf(long jsn) throws FaultException {
    if (next == row.size() || row.get(next).jsn() != jsn) {
      return;
    }
    HeldHead held = row.get(next++);
    SignedHead head = held.head();
    if (head == null) {
      unjudged++;
      unknown.add(held.submitter());
      return;
    }
    judged++;
    lagMs = Math.max(lagMs, held.lagMs());
    if (held.lagMs() > HeadEntry.SEAL_SKEW_MS_MAX) {
      late++;
    }
    Optional<SignedHead> before = Optional.ofNullable(last.put(held.submitter(), head));
    try {
      held.entry().checkGrowth(head, before);
    } catch (ProofRejectedException e) {
      findings.add(
          new AuditFault(jsn, FaultKind.HEAD_ENTRY_INVALID, String.valueOf(e.getMessage())));
    }
  }

  HeldHeads report() {
    return new HeldHeads(judged, unjudged, last.size(), unknown.size(), late, lagMs);
  }
}
