package io.tallystick.master.tledger;

import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/// A T-Ledger, here or elsewhere, as one who submits heads sees it. Thread-safe; every method may
/// block on a network.
public interface TLedgerLink extends AutoCloseable {
  /// Who the T-Ledger is. The caller pins the ledgerId and believes nothing else.
  ///
  /// @param genesisParams and keyChain lead to the keys of its service
  /// @param lastSize of the newest head of `submitter` in it
  record Introduction(Bytes genesisParams, Bytes keyChain, OptionalLong lastSize) {}

  /// @throws IOException if it cannot be reached
  Introduction introduce(LedgerId submitter) throws RequestRejectedException, IOException;

  /// @return once the entry is sealed
  /// @throws RequestRejectedException as {@link TLedgerWriter#take}
  /// @throws IOException if it cannot be reached; whether the head was taken is then unknown
  TakenHead submit(SubmittedHead head) throws RequestRejectedException, IOException;

  /// That the T-Ledger's log of `toSize` begins with that of `fromSize`. Nothing of it is verified.
  ///
  /// @return empty if it refuses to show it
  /// @throws IOException if it cannot be reached, or cannot tell now
  Optional<ConsistencyProof> consistency(long fromSize, long toSize) throws IOException;

  @Override
  void close();
}
