package io.tallystick.proxy.access;

import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import org.jspecify.annotations.Nullable;

/// The permission of one call to read one ledger.
public final class ReadGrant {
  private final LedgerRegistry registry;
  private final LedgerId ledger;
  private final boolean isPublic;
  private final @Nullable Member reader;

  /// @param reader the member that reads; null if anybody may
  ReadGrant(LedgerRegistry registry, LedgerId ledger, boolean isPublic, @Nullable Member reader) {
    this.isPublic = isPublic;
    this.registry = registry;
    this.ledger = ledger;
    this.reader = reader;
  }

  /// The node that holds the ledger.
  public LedgerNode node() {
    return registry.nodeOf(ledger);
  }

  /// Whether anybody may read the ledger, as its genesis says.
  public boolean isPublic() {
    return isPublic;
  }

  public boolean readsBodies() {
    return reader == null || reader.role().mayReadBodies();
  }

  /// @throws RequestRejectedException `ROLE_NOT_ALLOWED` if the reader may read no bodies
  public void checkBodies() throws RequestRejectedException {
    if (reader != null && !readsBodies()) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED,
          "member " + reader.key().kid() + " is " + reader.role() + " and may not read bodies");
    }
  }

  /// For a call that lasts: whether the reader is a member still. A token that expired meanwhile
  /// ends nothing that has begun.
  ///
  /// @throws RequestRejectedException `TOKEN_INVALID`
  public void recheck() throws RequestRejectedException {
    if (reader != null) {
      ReadAccess.currentMember(registry, ledger, reader.key().kid());
    }
  }
}
