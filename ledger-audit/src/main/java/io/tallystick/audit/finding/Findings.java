package io.tallystick.audit.finding;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The faults of an audit, in the order of their jsn. Not thread-safe.
public final class Findings {
  public static final int KEPT_MAX = 1_000;

  private final boolean stopAtFirst;
  private final List<AuditFault> faults = new ArrayList<>();
  private long count;

  public Findings(boolean stopAtFirst) {
    this.stopAtFirst = stopAtFirst;
  }

  /// Notes a fault behind which the audit can go on, unless it is to end at the first.
  public void add(AuditFault fault) throws FaultException {
    if (stopAtFirst || fault.kind().fatal()) {
      throw new FaultException(fault);
    }
    note(fault);
  }

  public void note(AuditFault fault) {
    count++;
    if (faults.size() < KEPT_MAX) {
      faults.add(fault);
    }
  }

  /// Takes over what an earlier run found.
  public void restore(List<AuditFault> kept, long total) {
    faults.addAll(kept);
    count += total;
  }

  /// In the order they were found.
  public List<AuditFault> kept() {
    return faults;
  }

  public long count() {
    return count;
  }

  public List<AuditFault> sorted() {
    return faults.stream().sorted(Comparator.comparingLong(AuditFault::jsn)).toList();
  }
}
