package io.tallystick.node;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;

/// Verifies tokens of members. Thread-safe.
@FunctionalInterface
public interface MemberTokens {
  /// @param node that has the ledger
  /// @return the current member that signed the token
  /// @throws RequestRejectedException `TOKEN_INVALID`; what the node refuses
  Member verify(LedgerNode node, LedgerId ledger, MemberToken token)
      throws RequestRejectedException;
}
