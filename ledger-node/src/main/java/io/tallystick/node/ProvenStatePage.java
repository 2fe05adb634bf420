package io.tallystick.node;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.state.RangeOfState;
import java.util.List;
import java.util.Optional;

/// A page of the keys that the state under a head has values of, with its proof.
///
/// @param head the block whose head the proof is under
/// @param proof of the page alone: its end is the page's
/// @param entries what the proof proves, verified; in key order
/// @param values of the entries; none if they were not asked for
/// @param next where the next page begins; empty if this was the last
public record ProvenStatePage(
    BlockView head,
    RangeOfState proof,
    List<StateEntry> entries,
    List<ReadValue> values,
    Optional<Bytes> next) {
  public ProvenStatePage {
    entries = List.copyOf(entries);
    values = List.copyOf(values);
  }
}
