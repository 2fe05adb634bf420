package io.tallystick.master.witness;

import io.tallystick.note.NoteSignature;
import java.util.List;

/// The answer of a witness about a head, not verified.
sealed interface WitnessAnswer {
  /// Status 200.
  ///
  /// @param lines of whatever keys
  record Cosigned(List<NoteSignature> lines) implements WitnessAnswer {
    public Cosigned {
      lines = List.copyOf(lines);
    }
  }

  /// Status 409: the newest head it has cosigned is of another size than the proof begins at.
  record OtherSize(long size) implements WitnessAnswer {}

  /// Status 422, or 409 without a size: the head does not continue the one it has cosigned.
  record Inconsistent() implements WitnessAnswer {}
}
