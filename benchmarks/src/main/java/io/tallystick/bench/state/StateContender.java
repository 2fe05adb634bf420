package io.tallystick.bench.state;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// One of those that are measured. One thread writes; any thread reads what was written.
interface StateContender extends ContenderReads, AutoCloseable {
  /// Writes a batch. On return it is on the disk, and the root is that of the state with it.
  ///
  /// @param puts with distinct keys
  /// @return the root under which values can be proven; empty if there are no proofs
  Optional<Digest> putBatch(List<Put> puts) throws Exception;

  /// The encoded proof of what the newest version holds of a key; empty if there are no proofs.
  Optional<Bytes> proof(Bytes key) throws Exception;

  /// Bytes on the disk that it keeps beside the values; of one that does not keep them apart, all.
  long spaceBytes() throws IOException;

  /// Ends what goes on in the background.
  void settle() throws Exception;

  @Override
  void close() throws IOException;
}
