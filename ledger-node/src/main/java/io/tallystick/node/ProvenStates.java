package io.tallystick.node;

import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import java.util.List;
import java.util.Optional;

/// The entries of several keys in the state under a head, with their proof. It may end before the
/// last of the keys asked for.
///
/// @param head the block whose head the proof is under
/// @param proof encoded: a {@link LookupsProof}, or of one key a {@link LookupProof}
/// @param answers what the proof proves, verified; in key order
/// @param values one for each answer; none if they were not asked for
/// @param next the first key that is not answered; empty if all are
public record ProvenStates(
    BlockView head,
    Bytes proof,
    List<StateAnswer> answers,
    List<ReadValue> values,
    Optional<Bytes> next) {
  public ProvenStates {
    answers = List.copyOf(answers);
    values = List.copyOf(values);
  }
}
