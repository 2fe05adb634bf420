package io.tallystick.client;

import io.tallystick.client.internal.append.RunEvidence;
import io.tallystick.client.internal.append.SubmittedLeaves;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.receipt.RangeReceipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/// That a batch of ours stands in the ledger, journal by journal and in its order: verified under
/// the ledger's own keys, and its head joined to all this client has trusted before. Immutable.
public final class VerifiedBatch {
  private final SubmittedLeaves leaves;
  private final long firstJsn;
  private final long timeMs;
  private final RunEvidence evidence;
  private final boolean repeated;

  VerifiedBatch(
      SubmittedLeaves leaves, long firstJsn, long timeMs, RunEvidence evidence, boolean repeated) {
    this.leaves = leaves;
    this.firstJsn = firstJsn;
    this.timeMs = timeMs;
    this.evidence = evidence;
    this.repeated = repeated;
  }

  public Jsn firstJsn() {
    return new Jsn(firstJsn);
  }

  public int count() {
    return leaves.count();
  }

  /// The jsn of the last journal, which is the newest.
  public Jsn lastJsn() {
    return new Jsn(firstJsn + count() - 1);
  }

  /// The service's time of the commit, the same for the whole batch.
  public long timeMs() {
    return timeMs;
  }

  /// The range receipt of exactly this batch's journals.
  public RangeReceipt rangeReceipt() {
    return evidence.rangeReceipt(firstJsn, count());
  }

  public SignedHead head() {
    return evidence.head();
  }

  /// Whether the service had committed it at an earlier attempt.
  public boolean repeated() {
    return repeated;
  }

  /// @param index in the batch, from 0
  public Bytes leaf(int index) {
    return leaves.leaf(Objects.checkIndex(index, count()), firstJsn, timeMs);
  }

  /// @param index in the batch, from 0
  public VerifiedReceipt receipt(int index) {
    return new VerifiedReceipt(
        leaves, Objects.checkIndex(index, count()), firstJsn + index, timeMs, evidence, repeated);
  }

  /// The single receipts of all journals, made here and now without the service.
  public List<VerifiedReceipt> receipts() {
    List<VerifiedReceipt> receipts = new ArrayList<>(count());
    for (int i = 0; i < count(); i++) {
      receipts.add(receipt(i));
    }
    return List.copyOf(receipts);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "VerifiedBatch[jsns %d to %s at %s under %s%s]",
        firstJsn,
        lastJsn(),
        Printable.time(timeMs),
        head(),
        repeated ? ", committed before" : "");
  }
}
