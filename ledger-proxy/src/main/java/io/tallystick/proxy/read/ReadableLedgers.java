package io.tallystick.proxy.read;

import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Erasure;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One caller's reads of ledgers and their members. Every read checks the caller's access before it
/// asks the node.
public record ReadableLedgers(LedgerRegistry registry, ReadAccess access, Bearer bearer) {
  private static final int FIRST_STRAND = 0;

  /// A ledger and its newest signed head.
  ///
  /// @param checkpoint the head as a C2SP checkpoint
  public record SignedLedger(LedgerView view, Bytes checkpoint) {}

  /// Ledgers, ascending by id.
  ///
  /// @param next the last of them, which the next page begins after; empty if this was the last
  public record Page(List<LedgerView> ledgers, Optional<LedgerId> next) {
    public Page {
      ledgers = List.copyOf(ledgers);
    }
  }

  /// @throws RequestRejectedException `PURGED` if the ledger was deleted: {@link #deletion} shows
  ///   it
  public SignedLedger ledger(LedgerId id) throws RequestRejectedException {
    LedgerNode node = node(id);
    node.checkNotDeleted(id);
    return signed(node, node.ledger(id));
  }

  /// The purge that deleted a ledger.
  ///
  /// @param refusal by which the ledger was refused
  public Erasure deletion(LedgerId id, RequestRejectedException refusal)
      throws RequestRejectedException {
    long lastGone = refusal.limit().orElseThrow() - 1;
    return node(id).erasure(new StrandId(id, FIRST_STRAND), lastGone);
  }

  /// The ledger that a caller founded. If it existed already, the caller needs access: its size is
  /// for its readers alone.
  public SignedLedger founded(CreatedLedger created) throws RequestRejectedException {
    LedgerId id = created.ledger().id();
    registry.nodeOf(id).checkNotDeleted(id);
    return signed(created.existed() ? node(id) : registry.nodeOf(id), created.ledger());
  }

  private static SignedLedger signed(LedgerNode node, LedgerView view)
      throws RequestRejectedException {
    byte[] checkpoint = node.checkpoint(new StrandId(view.id(), FIRST_STRAND));
    return new SignedLedger(view, Bytes.wrap(checkpoint));
  }

  public ShownMembers members(LedgerId id) throws RequestRejectedException {
    LedgerNode node = node(id);
    return ReadableCertificates.subjects(node, id, node.members(id));
  }

  /// The ledgers that the caller may see.
  ///
  /// @param after null: from the first
  public Page page(@Nullable LedgerId after, int limit) throws RequestRejectedException {
    // One more than asked for tells whether there is a next page.
    List<LedgerView> found = access.ledgers(bearer, after, limit + 1);
    if (found.size() <= limit) {
      return new Page(found, Optional.empty());
    }
    List<LedgerView> page = found.subList(0, limit);
    return new Page(page, Optional.of(page.getLast().id()));
  }

  private LedgerNode node(LedgerId id) throws RequestRejectedException {
    return access.node(id, bearer, Scope.EVIDENCE);
  }
}
