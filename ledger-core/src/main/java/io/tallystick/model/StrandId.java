package io.tallystick.model;

/// One log of a ledger: what heads, receipts and sequencing refer to. `strand` is 0 to 2³²−1 (0 for
/// now).
public record StrandId(LedgerId ledger, int strand) {
  public StrandId {
    if (strand < 0) {
      throw new IllegalArgumentException("strand " + strand + " is negative");
    }
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof StrandId that && strand == that.strand && ledger.equals(that.ledger));
  }

  @Override
  public int hashCode() {
    return 31 * ledger.hashCode() + strand;
  }

  @Override
  public String toString() {
    return ledger.hex() + "/" + strand;
  }
}
