package io.tallystick.server.sim;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.StreamStore;
import java.util.concurrent.CompletableFuture;

/// A deliberate fault in what the shard stands on, to see that the simulator finds it.
interface Sabotage {
  Sabotage NONE = new Sabotage() {};

  default Disk disk(Disk disk) {
    return disk;
  }

  default StreamStore streams(StreamStore streams) {
    return streams;
  }

  default MetaStore meta(MetaStore meta) {
    return meta;
  }

  /// Gives the shard what a client asks for.
  default CompletableFuture<?> hand(NoteAsk ask, Shard up) {
    return ask.hand(up);
  }

  /// What the shard is given for a submission that arrives for the `attempt`th time.
  default VerifiedSubmission submission(VerifiedSubmission submission, int attempt) {
    return submission;
  }
}
