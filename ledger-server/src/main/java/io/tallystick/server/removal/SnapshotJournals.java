package io.tallystick.server.removal;

import io.tallystick.journal.Leaf;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.read.CarriedJournals;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The journals that the snapshot of a strand's last purge carries. Remembers the snapshot that was
/// asked for last. Thread-safe.
public final class SnapshotJournals implements CarriedJournals {
  private final SnapshotRows rows;
  private volatile @Nullable Known known;

  private record Known(Digest snapshot, NavigableMap<Long, Carried> journals) {}

  public SnapshotJournals(SnapshotRows rows) {
    this.rows = rows;
  }

  @Override
  public NavigableMap<Long, Carried> of(StrandIndex strand)
      throws IOException, CorruptStreamException {
    Optional<Purge> last = strand.head().governance().removals().lastPurge();
    return last.isEmpty() ? new TreeMap<>() : read(strand, last.get()).journals;
  }

  private Known read(StrandIndex strand, Purge purge) throws IOException, CorruptStreamException {
    Known last = known;
    if (last != null && last.snapshot.equals(purge.snapshot())) {
      return last;
    }
    Snapshot snapshot = rows.named(strand.strand().ledger(), purge).snapshot();
    NavigableMap<Long, Carried> journals = new TreeMap<>();
    try {
      for (Snapshot.Kept kept : snapshot.kept()) {
        long jsn = Leaf.decode(kept.leaf()).jsn().value();
        journals.put(jsn, new Carried(kept.leaf(), kept.attestation()));
      }
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "snapshot of purge " + purge.jsn(), 0, String.valueOf(e.getMessage()));
    }
    Known read = new Known(purge.snapshot(), Collections.unmodifiableNavigableMap(journals));
    known = read;
    return read;
  }
}
