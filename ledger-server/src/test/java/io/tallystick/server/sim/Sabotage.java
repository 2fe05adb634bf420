package io.tallystick.server.sim;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.StreamStore;

/// A deliberate fault in what the shard stands on, to see that the simulator finds it.
interface Sabotage {
  Sabotage NONE = new Sabotage() {};

  default Disk disk(Disk disk) {
    return disk;
  }

  default StreamStore streams(StreamStore streams) {
    return streams;
  }

  /// What the shard is given for a submission that arrives for the `attempt`th time.
  default VerifiedSubmission submission(VerifiedSubmission submission, int attempt) {
    return submission;
  }
}
