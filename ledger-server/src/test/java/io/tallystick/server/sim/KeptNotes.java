package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.server.anchor.TestAnchors;
import io.tallystick.server.proposal.TestProposals;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The noted rows as the model has them: the newest, and those before each frame that a savepoint
/// may still be followed by.
final class KeptNotes {
  /// A row and what it says. One of `proposal` and `anchor` is set, none in a row of an erasure.
  record Row(Bytes value, @Nullable KeptProposal proposal, @Nullable KeptAnchor anchor) {
    static Row of(KeptProposal proposal) {
      return new Row(TestProposals.row(proposal), proposal, null);
    }

    static Row of(KeptAnchor anchor) {
      return new Row(TestAnchors.row(anchor), null, anchor);
    }
  }

  /// By the number of the first frame that does not count.
  private final NavigableMap<Long, NavigableMap<Bytes, Row>> versions = new TreeMap<>();

  KeptNotes() {
    versions.put(0L, new TreeMap<>());
  }

  /// By key; not to be changed.
  NavigableMap<Bytes, Row> newest() {
    return versions.lastEntry().getValue();
  }

  /// As the frames below `end` leave them.
  NavigableMap<Bytes, Row> at(long end) {
    return Objects.requireNonNull(versions.floorEntry(end), "rows that are forgotten").getValue();
  }

  void put(long end, NavigableMap<Bytes, Row> rows) {
    versions.put(end, rows);
  }

  /// A savepoint is behind the frames below `end`: nobody asks for older rows any more.
  void forgetBefore(long end) {
    versions.headMap(Objects.requireNonNull(versions.floorKey(end)), false).clear();
  }

  /// The proposal of the same request; null if there is none.
  @Nullable KeptProposal like(KeptProposal proposal) {
    Row row = newest().get(TestProposals.key(proposal.ledger(), proposal.requestHash()));
    return row == null ? null : row.proposal();
  }

  /// Of a ledger, ascending by key.
  static NavigableMap<Bytes, Row> of(SimLedger ledger, Map<Bytes, Row> rows, boolean anchors) {
    NavigableMap<Bytes, Row> found = new TreeMap<>();
    rows.forEach((key, row) -> {
      KeptAnchor anchor = row.anchor();
      KeptProposal proposal = row.proposal();
      boolean its =
          anchors
              ? anchor != null && anchor.anchor().strand().equals(ledger.strand)
              : proposal != null && proposal.ledger().equals(ledger.strand.ledger());
      if (its) {
        found.put(key, row);
      }
    });
    return found;
  }
}
