package io.tallystick.client;

import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// That a batch of ours stands in the ledger, journal by journal and in its order: verified under
/// the ledger's own keys, and its head joined to all this client has trusted before. Immutable.
public final class VerifiedBatch {
  private final SubmittedLeaves leaves;
  private final long firstJsn;
  private final long timeMs;
  private final RangeReceipt rangeReceipt;
  private final SignedHead head;
  private final boolean repeated;

  VerifiedBatch(
      SubmittedLeaves leaves,
      long firstJsn,
      long timeMs,
      RangeReceipt rangeReceipt,
      SignedHead head,
      boolean repeated) {
    this.leaves = leaves;
    this.firstJsn = firstJsn;
    this.timeMs = timeMs;
    this.rangeReceipt = rangeReceipt;
    this.head = head;
    this.repeated = repeated;
  }

  public Jsn firstJsn() {
    return new Jsn(firstJsn);
  }

  public int count() {
    return leaves.count();
  }

  /// Of the last journal, which is the newest.
  public Jsn lastJsn() {
    return new Jsn(firstJsn + count() - 1);
  }

  /// The service's time of the commit, the same for the whole batch.
  public long timeMs() {
    return timeMs;
  }

  public RangeReceipt rangeReceipt() {
    return rangeReceipt;
  }

  public SignedHead head() {
    return head;
  }

  /// Whether the service had committed it at an earlier attempt.
  public boolean repeated() {
    return repeated;
  }

  /// @param index in the batch, from 0
  public Bytes leaf(int index) {
    return leaves.leaf(Objects.checkIndex(index, count()), firstJsn, timeMs);
  }

  /// The single receipts of all journals, made here and now without the service.
  public List<VerifiedReceipt> receipts() {
    List<Bytes> encoded = new ArrayList<>(count());
    for (int i = 0; i < count(); i++) {
      encoded.add(leaf(i));
    }
    List<VerifiedReceipt> receipts = new ArrayList<>(count());
    for (Receipt receipt : split(encoded)) {
      int index = receipts.size();
      Jsn jsn = new Jsn(firstJsn + index);
      receipts.add(new VerifiedReceipt(jsn, timeMs, encoded.get(index), receipt, head, repeated));
    }
    return List.copyOf(receipts);
  }

  private List<Receipt> split(List<Bytes> encoded) {
    try {
      return rangeReceipt.split(encoded);
    } catch (ProofRejectedException e) {
      throw new AssertionError("a verified range receipt does not split", e);
    }
  }
}
