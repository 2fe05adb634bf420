package io.tallystick.server.sequencer;

import io.tallystick.server.world.Governance;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.server.world.MemberTable;

/// Where a strand stands after the newest committed frame. Written by the sequencer only; readers
/// may look at {@link #governance} and {@link #anchored}.
public final class StrandHead {
  private final LedgerGenesis ledger;
  private volatile long nextJsn;
  private long nextHeight;
  private long forgottenHeight;
  private volatile Governance governance;

  public StrandHead(LedgerGenesis ledger, long nextJsn, long nextHeight, Governance governance) {
    this.ledger = ledger;
    this.nextJsn = nextJsn;
    this.nextHeight = nextHeight;
    this.forgottenHeight = nextHeight - 1;
    this.governance = governance;
  }

  /// A ledger just founded, before its genesis block is counted.
  public static StrandHead founded(LedgerGenesis ledger) {
    return new StrandHead(ledger, 0, 0, Governance.ofGenesis(ledger.params()));
  }

  public LedgerGenesis ledger() {
    return ledger;
  }

  public Governance governance() {
    return governance;
  }

  public MemberTable members() {
    return governance.members();
  }

  /// Whether the newest time journal covers all but seals and itself. A reader may learn of a newer
  /// block a little later.
  public boolean anchored() {
    long size = nextJsn;
    return governance.newestTime().filter(time -> time.coversAll(size)).isPresent();
  }

  long nextJsn() {
    return nextJsn;
  }

  long nextHeight() {
    return nextHeight;
  }

  /// The height of the newest block whose operations the sequencer does not remember: a reading of
  /// the state counts if it is of this block or of a later one.
  long forgottenHeight() {
    return forgottenHeight;
  }

  void forgetUpTo(long height) {
    forgottenHeight = Math.max(forgottenHeight, height);
  }

  void govern(Governance next) {
    governance = next;
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
