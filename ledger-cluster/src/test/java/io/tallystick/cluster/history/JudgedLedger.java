package io.tallystick.cluster.history;

import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a judge of histories reads of a ledger.
public interface JudgedLedger {
  /// A journal as the log has it.
  ///
  /// @param requestHash of the header that was signed; empty for what the service writes
  /// @param text of its body; empty if it has none
  record Listed(long jsn, Bytes leaf, Optional<Digest> requestHash, Optional<String> text) {}

  /// The whole log.
  List<Listed> log() throws TallyException;

  Set<Digest> proposals() throws TallyException;

  /// Size of the largest shared anchor up to a size; 0 if there is none.
  long anchored(long size) throws TallyException;

  /// What the client holds against the service.
  Optional<String> alarm();
}
