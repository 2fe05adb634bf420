package io.tallystick.proxy.read;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogVisitor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A piece of a log, cut where it passes {@link #BYTES_WANTED}; a page has at least one leaf. The
/// last leaf is taken whole, so that a page stays below 3 MiB.
public final class LogPage implements LogVisitor {
  public static final int BYTES_WANTED = 768 << 10;

  /// The cost of a leaf beyond its bytes.
  private static final int ITEM_BYTES = 64;

  public record Item(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    public int sizeBytes() {
      return ITEM_BYTES + leaf.size() + size(attestation) + ops.size() + size(body);
    }

    private static int size(@Nullable Bytes bytes) {
      return bytes == null ? 0 : bytes.size();
    }

    Item withoutAttestation() {
      return new Item(jsn, leaf, null, ops, bodyState, salt, body);
    }
  }

  private final List<Item> items = new ArrayList<>();
  private final int countMax;
  private long bytes;

  private LogPage(int countMax) {
    this.countMax = countMax;
  }

  /// Leaves from `from` on, before `to`: none only if there are none. A damaged one ends the page
  /// before it, and is refused when a page begins there.
  public static List<Item> read(
      LedgerNode node, StrandId strand, long from, long to, boolean withBodies, int countMax)
      throws RequestRejectedException {
    return read(countMax, page -> node.readLog(strand, from, to, withBodies, page));
  }

  /// The same with bodies, of journals that no purge removed.
  ///
  /// @throws RequestRejectedException `PURGED` too
  static List<Item> journals(LedgerNode node, StrandId strand, long from, long to, int countMax)
      throws RequestRejectedException {
    return read(countMax, page -> node.readJournals(strand, from, to, true, page));
  }

  private interface Walk {
    void into(LogPage page) throws RequestRejectedException;
  }

  private static List<Item> read(int countMax, Walk walk) throws RequestRejectedException {
    LogPage page = new LogPage(countMax);
    try {
      walk.into(page);
    } catch (RequestRejectedException e) {
      if (e.code() != RejectionCode.DAMAGED || page.items.isEmpty()) {
        throw e;
      }
    }
    return page.items;
  }

  @Override
  public boolean leaf(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    Item item = new Item(jsn, leaf, attestation, ops, bodyState, salt, body);
    items.add(item);
    bytes += item.sizeBytes();
    return bytes < BYTES_WANTED && items.size() < countMax;
  }
}
