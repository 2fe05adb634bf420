package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.source.LogSource;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Joins heads that lie below what is left of a purged log to its end.
///
/// @param size of the log, whose root was recomputed
public record EarlierHeads(LogSource source, long firstKept, long size, Digest root) {
  /// By size, what shows that the log continues heads of others, as far as the source can.
  public Map<Long, ConsistencyProof> proofs(List<OtherHead> others)
      throws FaultException, IOException {
    Map<Long, ConsistencyProof> proofs = new HashMap<>();
    for (OtherHead other : others) {
      long earlier = other.size().value();
      if (earlier >= firstKept || proofs.containsKey(earlier)) {
        continue;
      }
      try {
        source
            .consistency(earlier, size)
            .filter(found -> found.from() == earlier && found.to() == size)
            .ifPresent(found -> proofs.put(earlier, found));
      } catch (LogFormatException e) {
        throw new FaultException(earlier - 1, e.kind(), String.valueOf(e.getMessage()));
      }
    }
    return proofs;
  }

  /// Does nothing for a head that the audit came by.
  ///
  /// @param contradicted the fault if the log does not continue that head
  /// @throws AuditLimitException if the source cannot show it
  public void join(TreeSize earlier, JournalRoot earlierRoot, FaultKind contradicted)
      throws FaultException, IOException, AuditLimitException {
    if (earlier.value() >= firstKept) {
      return;
    }
    try {
      ConsistencyProof proof =
          source
              .consistency(earlier.value(), size)
              .filter(found -> found.from() == earlier.value() && found.to() == size)
              .orElseThrow(() ->
                  new AuditLimitException(
                      String.format(
                          Locale.ROOT,
                          "a head of size %s lies below what is left of the log, and this source"
                              + " cannot show that the log continues it",
                          earlier)));
      proof.verify(earlierRoot, new JournalRoot(root));
    } catch (ProofRejectedException e) {
      throw new FaultException(earlier.value() - 1, contradicted, String.valueOf(e.getMessage()));
    } catch (LogFormatException e) {
      throw new FaultException(earlier.value() - 1, e.kind(), String.valueOf(e.getMessage()));
    }
  }
}
