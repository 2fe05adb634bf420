package io.tallystick.server.sim;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.merkle.RangeSplit;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The one receipt of neighbours in a block, as their client takes it apart.
final class SharedReceipt {
  /// Journals under one receipt, unless one submission alone has more.
  private static final int JOURNALS_MAX = 256;

  private final List<Arrival> arrivals;
  private final Bytes encoded;
  private @Nullable RangeReceipt receipt;
  private @Nullable RangeSplit split;

  SharedReceipt(List<Arrival> arrivals, Bytes encoded) {
    this.arrivals = arrivals;
    this.encoded = encoded;
  }

  /// The part that covers one of the submissions, as the client stores it and reads it back.
  RangeReceipt of(Committed own, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException, MalformedException {
    if (split == null) {
      open(keys, signatures);
    }
    RangeReceipt whole = Objects.requireNonNull(receipt);
    RangeSplit parts = Objects.requireNonNull(split);
    return RangeReceipt.decode(
        new RangeReceipt(whole.head(), parts.narrow(own.firstJsn(), own.count())).encode());
  }

  /// The standard receipt of one journal.
  Receipt of(long jsn) {
    return new Receipt(
        Objects.requireNonNull(receipt).head(), Objects.requireNonNull(split).inclusion(jsn));
  }

  /// Verifies it over the leaves of all, each made from the client's own request.
  private void open(ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException, MalformedException {
    List<Bytes> leaves = new ArrayList<>();
    long next = firstJsn();
    for (Arrival arrival : arrivals) {
      Committed committed = Objects.requireNonNull(arrival.receipted).committed();
      Violation.unless(
          arrival.from == arrivals.getFirst().from
              && committed.firstJsn() == next
              && strand(arrival).equals(strand(arrivals.getFirst())),
          "%s shares a receipt with another stream or is no neighbour",
          committed);
      leaves.addAll(Objects.requireNonNull(arrival.sent).leaves(committed));
      next += committed.count();
    }
    Violation.unless(leaves.size() <= JOURNALS_MAX, "%s share a receipt", leaves.size());
    receipt = RangeReceipt.decode(encoded);
    var _ = receipt.verify(leaves, strand(arrivals.getFirst()), keys, signatures);
    List<Digest> hashes = leaves.stream().map(Sent::leafHash).toList();
    split = RangeSplit.of(receipt.proof(), hashes);
  }

  private long firstJsn() {
    return Objects.requireNonNull(arrivals.getFirst().receipted).committed().firstJsn();
  }

  private static StrandId strand(Arrival arrival) {
    return Objects.requireNonNull(arrival.sent).ledger.strand;
  }
}
