package io.tallystick.master.tledger;

import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/// A T-Ledger as submitters use it. Thread-safe.
public interface TLedgerDoor {
  LedgerId tLedger();

  /// The size of a ledger's newest head in the T-Ledger.
  ///
  /// @throws RequestRejectedException as the node refuses reads
  OptionalLong lastSize(LedgerId ledger) throws RequestRejectedException;

  /// GenesisParams of the T-Ledger.
  Bytes genesisParams() throws RequestRejectedException;

  /// How the keys of the T-Ledger's service came from those of genesis.
  KeyChain keyChain() throws RequestRejectedException;

  /// Checks a head and has it entered.
  ///
  /// @param caller who brings it
  /// @return completes once the entry's block is signed; fails as an append does
  /// @throws RequestRejectedException `MALFORMED`; as the {@link SubmitterRule} refuses;
  ///   `HEAD_REFUSED` if it is not the ledger's, smaller than its last one, no continuation of it
  ///   or of a later time than now; `RATE_LIMITED` while another head of the ledger is under way
  CompletableFuture<TakenHead> take(SubmittedHead submitted, SubmitterRule.Caller caller)
      throws RequestRejectedException;
}
