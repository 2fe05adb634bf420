package io.tallystick.proxy.read;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.ReadGrant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A log that is read from a leaf on up to a signed head, a part at a time. Between two parts the
/// reader's membership is checked again. Not thread-safe.
public final class LogWalk {
  /// Leaves that were read at once.
  ///
  /// @param leaves each batch's attestation is with its first leaf of the walk alone
  /// @param end with the last part
  public record Part(List<LogPage.Item> leaves, Optional<End> end) {
    public Part {
      leaves = List.copyOf(leaves);
    }
  }

  /// The head that the walk leads to.
  ///
  /// @param headReceipt COSE receipt of the head's seal leaf
  /// @param checkpoint the same head as a C2SP checkpoint, if it is the newest still
  public record End(Bytes headReceipt, Optional<Bytes> checkpoint) {}

  private final ReadGrant grant;
  private final LedgerNode node;
  private final StrandId strand;
  private final boolean withBodies;
  private final BlockView head;
  private long next;
  private @Nullable Bytes lastAttestation;

  private LogWalk(ReadGrant grant, StrandId strand, BlockView head, long from, boolean withBodies) {
    this.grant = grant;
    this.node = grant.node();
    this.strand = strand;
    this.head = head;
    this.next = from;
    this.withBodies = withBodies;
  }

  static LogWalk open(ReadGrant grant, StrandId strand, long from, long size, boolean withBodies)
      throws RequestRejectedException {
    BlockView head = headAt(grant.node(), strand, size);
    ReadableLog.checkStart(from, head.size(), head.size());
    return new LogWalk(grant, strand, head, from, withBodies);
  }

  private static BlockView headAt(LedgerNode node, StrandId strand, long size)
      throws RequestRejectedException {
    if (size == 0) {
      return node.newestBlock(strand);
    }
    long newest = node.newestSize(strand);
    if (size > newest) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE,
              "size " + size + " is not signed yet, the newest is " + newest)
          .withLimit(newest);
    }
    BlockView block = node.blockOf(strand, size - 1);
    if (block.size() != size) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE,
          "no head was signed at size " + size + ", the next one is at " + block.size());
    }
    return block;
  }

  /// To be asked until a part has an end.
  public Part next() throws RequestRejectedException {
    grant.recheck();
    List<LogPage.Item> leaves = next < head.size() ? leaves() : List.of();
    return new Part(leaves, next == head.size() ? Optional.of(end()) : Optional.empty());
  }

  private List<LogPage.Item> leaves() throws RequestRejectedException {
    List<LogPage.Item> page =
        LogPage.read(node, strand, next, head.size(), withBodies, Integer.MAX_VALUE);
    if (page.isEmpty()) {
      throw new AssertionError("no leaf at " + next + " of " + head.size());
    }
    List<LogPage.Item> leaves = new ArrayList<>(page.size());
    page.forEach(leaf -> leaves.add(attestedOnce(leaf)));
    next = page.getLast().jsn() + 1;
    return leaves;
  }

  /// A page that starts inside a batch brings the batch's attestation again; it was read already.
  private LogPage.Item attestedOnce(LogPage.Item leaf) {
    Bytes attestation = leaf.attestation();
    if (attestation == null) {
      return leaf;
    }
    if (lastAttestation != null && lastAttestation.equals(attestation)) {
      return leaf.withoutAttestation();
    }
    lastAttestation = attestation;
    return leaf;
  }

  private End end() throws RequestRejectedException {
    byte[] checkpoint = node.checkpoint(strand);
    return new End(
        head.headReceipt(),
        signedSize(checkpoint) == head.size()
            ? Optional.of(Bytes.wrap(checkpoint))
            : Optional.empty());
  }

  /// The second line of a C2SP checkpoint.
  private static long signedSize(byte[] checkpoint) {
    String[] lines = new String(checkpoint, StandardCharsets.UTF_8).split("\n", 3);
    return Long.parseLong(lines[1]);
  }
}
