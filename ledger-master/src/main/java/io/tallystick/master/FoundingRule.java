package io.tallystick.master;

import io.tallystick.journal.GenesisParams;
import io.tallystick.model.RequestRejectedException;

/// Who may found a ledger on this service.
@FunctionalInterface
public interface FoundingRule {
  /// @param params all owners named there have signed them
  /// @throws RequestRejectedException `FOUNDING_NOT_ALLOWED`, `TOKEN_INVALID`
  void check(GenesisParams params) throws RequestRejectedException;
}
