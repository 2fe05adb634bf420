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

  /// The first keys from one on, with values as {@link #get} has them, in key order.
  List<Found> range(Bytes from, int limit) throws Exception;

  /// The encoded proof of what the newest version holds of a key; empty if there are no proofs.
  Optional<Bytes> proof(Bytes key) throws Exception;

  /// Bytes on the disk that it keeps beside the values; of one that does not keep them apart, all.
  long spaceBytes() throws IOException;

  /// Bytes of its cache, of those of what it reads through it: its index as of now, and the values
  /// where it does not keep them apart.
  double cacheOfIndex() throws IOException;

  /// What is not as a service without settings has it; empty if all is.
  default String departures() {
    return "";
  }

  /// Ends what goes on in the background.
  void settle() throws Exception;

  @Override
  void close() throws IOException;
}
