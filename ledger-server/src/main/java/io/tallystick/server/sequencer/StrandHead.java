package io.tallystick.server.sequencer;

import io.tallystick.server.world.LedgerState;
import io.tallystick.server.world.MemberTable;

/// Where a strand stands after the newest committed frame. Written by the sequencer only; readers
/// may look at {@link #members}.
public final class StrandHead {
  private final LedgerState ledger;
  private long nextJsn;
  private long nextHeight;
  private volatile MemberTable members;

  public StrandHead(LedgerState ledger, long nextJsn, long nextHeight, MemberTable members) {
    this.ledger = ledger;
    this.nextJsn = nextJsn;
    this.nextHeight = nextHeight;
    this.members = members;
  }

  /// A ledger just founded, before its genesis block is counted.
  public static StrandHead founded(LedgerState ledger) {
    return new StrandHead(ledger, 0, 0, MemberTable.ofGenesis(ledger.params()));
  }

  public LedgerState ledger() {
    return ledger;
  }

  public MemberTable members() {
    return members;
  }

  long nextJsn() {
    return nextJsn;
  }

  long nextHeight() {
    return nextHeight;
  }

  void setMembers(MemberTable table) {
    members = table;
  }

  /// A block was committed; its seal takes `sealJsn`.
  void advance(long sealJsn) {
    nextJsn = sealJsn + 1;
    nextHeight++;
  }

  /// The block that started at `firstJsn` was not kept.
  void retreat(long firstJsn) {
    nextJsn = firstJsn;
    nextHeight--;
  }
}
