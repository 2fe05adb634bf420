package io.tallystick.master.tledger;

import io.tallystick.evidence.ForkEvidence;

/// A T-Ledger signed two heads and does not show that they are of one log.
public final class ContradictedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient ForkEvidence evidence;

  ContradictedException(ForkEvidence evidence, String detail) {
    super(detail);
    this.evidence = evidence;
  }

  /// Both heads as they were signed, the one seen first before the other; with the proof if the
  /// T-Ledger gave one that convicts it.
  public ForkEvidence evidence() {
    return evidence;
  }
}
