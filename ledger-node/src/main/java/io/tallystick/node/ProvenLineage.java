package io.tallystick.node;

import io.tallystick.lineage.LineageProof;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A page of consecutive journals of a clue, with its proof.
///
/// @param clue state of the clue under the head
/// @param total of the clue's journals among those asked for
/// @param first index of the page's lowest journal among the clue's
/// @param jsns of the page's journals, in the wanted direction; empty if there are none
/// @param proof of the page, ascending; with one journal more at its end where that shows that the
///   page's last is the last before the size asked for; empty only where no journal names the clue
///   or the page begins behind the last
/// @param next where the next page begins, as an index; empty if this was the last
public record ProvenLineage(
    ProvenClue clue,
    long total,
    long first,
    List<Long> jsns,
    Optional<LineageProof> proof,
    OptionalLong next) {
  public ProvenLineage {
    jsns = List.copyOf(jsns);
  }
}
