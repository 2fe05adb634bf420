package io.tallystick.client.internal.append;

import io.tallystick.head.SignedHead;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.RangeSplit;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A verified range receipt and the leaf hashes it covers, shared by all whose journals are among
/// them. Makes the smaller receipts hidden in it when they are asked for. Thread-safe.
public final class RunEvidence {
  private final RangeReceipt receipt;
  private final List<Digest> leafHashes;
  private final SignedHead head;
  private volatile @Nullable RangeSplit split;

  /// @param receipt verified over `leafHashes`, under `head`
  public RunEvidence(RangeReceipt receipt, List<Digest> leafHashes, SignedHead head) {
    this.receipt = receipt;
    this.leafHashes = List.copyOf(leafHashes);
    this.head = head;
  }

  public SignedHead head() {
    return head;
  }

  /// The standard receipt of one journal.
  public Receipt receipt(long jsn) {
    return new Receipt(receipt.head(), split().inclusion(jsn));
  }

  /// The receipt of the journals `[firstJsn, firstJsn + count)`.
  public RangeReceipt rangeReceipt(long firstJsn, int count) {
    RangeProof proof = receipt.proof();
    return proof.first() == firstJsn && proof.count() == count
        ? receipt
        : new RangeReceipt(receipt.head(), split().narrow(firstJsn, count));
  }

  private RangeSplit split() {
    RangeSplit made = split;
    if (made == null) {
      try {
        made = RangeSplit.of(receipt.proof(), leafHashes);
      } catch (ProofRejectedException e) {
        throw new AssertionError("a verified range receipt does not split", e);
      }
      split = made;
    }
    return made;
  }
}
