package io.tallystick.cluster.history;

import io.tallystick.client.Promise;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a client of a history asks of a ledger. A test puts a liar before it.
public interface LedgerDoor {
  /// A journal as the log has it.
  ///
  /// @param requestHash of the header that was signed; empty for what the service writes
  /// @param text of its body; empty if it has none
  record Listed(long jsn, Bytes leaf, Optional<Digest> requestHash, Optional<String> text) {}

  /// What an append was answered with.
  record Evidence(List<Told.Placed> journals, Told.Stated head) {}

  Evidence append(List<String> texts) throws TallyException;

  Promise promise(List<String> texts) throws TallyException;

  /// Finds all that was promised under a signed head.
  void keepPromises() throws TallyException;

  Told.Stated newest() throws TallyException;

  /// Has a proof that the log of one size begins that of the other, which the client has verified.
  void join(Told.Stated older, Told.Stated newer) throws TallyException;

  /// Whether the journal has its body.
  boolean body(long jsn) throws TallyException;

  /// Has a proposal kept that stays open.
  Digest propose() throws TallyException;

  Set<Digest> proposals() throws TallyException;

  /// Shares the newest head as an anchor.
  ///
  /// @return its size
  long anchor() throws TallyException;

  /// Size of the largest shared anchor up to a size; 0 if there is none.
  long anchored(long size) throws TallyException;

  void erase(long jsn) throws TallyException;

  /// The whole log.
  List<Listed> log() throws TallyException;

  /// What the client holds against the service.
  Optional<String> alarm();
}
