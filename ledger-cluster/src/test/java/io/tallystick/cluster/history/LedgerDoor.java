package io.tallystick.cluster.history;

import io.tallystick.client.Promise;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Digest;
import java.util.List;

/// What a client of a history asks of a ledger. A test puts a liar before it.
public interface LedgerDoor extends JudgedLedger {
  /// What an append was answered with.
  record Evidence(List<Told.Placed> journals, Told.Stated head) {}

  Evidence append(List<String> texts) throws TallyException;

  Promise promise(List<String> texts) throws TallyException;

  /// Finds all that was promised under a signed head.
  void keepPromises() throws TallyException;

  Told.Stated newest() throws TallyException;

  /// Has a proof that the log of one size begins that of the other, which the client has verified.
  ///
  /// @throws IllegalArgumentException if this door stated one of the heads too long ago
  void join(Told.Stated older, Told.Stated newer) throws TallyException;

  /// Whether the journal has its body.
  boolean body(long jsn) throws TallyException;

  /// Has a proposal kept that stays open.
  Digest propose() throws TallyException;

  /// Shares the newest head as an anchor.
  ///
  /// @return its size
  long anchor() throws TallyException;

  void erase(long jsn) throws TallyException;
}
