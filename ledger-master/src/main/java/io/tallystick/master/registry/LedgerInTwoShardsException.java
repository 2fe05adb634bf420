package io.tallystick.master.registry;

import io.tallystick.model.LedgerId;
import java.util.Locale;

/// A ledger is in two shards: two histories of it may exist. Nothing is registered until a human
/// has decided.
public final class LedgerInTwoShardsException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient LedgerId ledger;
  private final int first;
  private final int second;

  LedgerInTwoShardsException(LedgerId ledger, int first, int second, String seen) {
    super(
        String.format(
            Locale.ROOT, "ledger %s is in shards %d and %d: %s", ledger, first, second, seen));
    this.ledger = ledger;
    this.first = first;
    this.second = second;
  }

  public LedgerId ledger() {
    return ledger;
  }

  public int first() {
    return first;
  }

  public int second() {
    return second;
  }
}
