package io.tallystick.client;

import io.tallystick.client.internal.append.RunEvidence;
import io.tallystick.client.internal.append.SubmittedLeaves;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.util.Locale;

/// That one journal of ours stands in the ledger: verified under the ledger's own keys, and its
/// head joined to all this client has trusted before. The standard receipt is made when it is asked
/// for, so this keeps alive what it is made from: the headers of its batch (some 300 bytes a
/// journal) and the leaf hashes of the journals that share its proof, at most 256 of them or those
/// of its batch. To keep many for long, keep {@link #toFile}. Immutable.
public final class VerifiedReceipt {
  private final SubmittedLeaves leaves;
  private final int index;
  private final long jsn;
  private final long timeMs;
  private final RunEvidence evidence;
  private final boolean repeated;

  VerifiedReceipt(
      SubmittedLeaves leaves,
      int index,
      long jsn,
      long timeMs,
      RunEvidence evidence,
      boolean repeated) {
    this.leaves = leaves;
    this.index = index;
    this.jsn = jsn;
    this.timeMs = timeMs;
    this.evidence = evidence;
    this.repeated = repeated;
  }

  public Jsn jsn() {
    return new Jsn(jsn);
  }

  /// The service's time of the commit, milliseconds since the epoch.
  public long timeMs() {
    return timeMs;
  }

  /// As it is hashed, rebuilt from our own request.
  public Bytes leaf() {
    return leaves.leaf(index, jsn - index, timeMs);
  }

  public Receipt receipt() {
    return evidence.receipt(jsn);
  }

  public SignedHead head() {
    return evidence.head();
  }

  /// Whether the service had committed it at an earlier attempt.
  public boolean repeated() {
    return repeated;
  }

  /// To keep: complete in itself, and readable by any verifier of COSE receipts.
  public ReceiptFile toFile() {
    return new ReceiptFile(leaf(), receipt());
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "VerifiedReceipt[jsn %d at %s under %s%s]",
        jsn,
        Printable.time(timeMs),
        head(),
        repeated ? ", committed before" : "");
  }
}
