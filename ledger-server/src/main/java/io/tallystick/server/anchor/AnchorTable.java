package io.tallystick.server.anchor;

import io.tallystick.evidence.Anchor;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptAnchors;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The anchors of a shard's strands as notes, and in memory the sizes and signers that there are. A
/// log is complete without them. Part of one opening of a shard.
public final class AnchorTable implements KeptAnchors {
  private static final Comparator<AnchorRow> BY_SIZE =
      Comparator.comparingLong(AnchorRow::size).thenComparing(AnchorRow::kid);

  private final NoteRows rows;
  private final NoteWriter writer;
  private final Map<StrandId, NavigableSet<AnchorRow>> strands = new HashMap<>();

  private AnchorTable(NoteRows rows, NoteWriter writer) {
    this.rows = rows;
    this.writer = writer;
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @throws CorruptStreamException if a row is none of an anchor
  public static AnchorTable open(NoteRows rows, NoteWriter writer)
      throws IOException, CorruptStreamException {
    AnchorTable table = new AnchorTable(rows, writer);
    rows.keep(AnchorRow.PREFIX, table.new Index());
    return table;
  }

  private final class Index implements NoteIndex {
    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      AnchorRow _ = AnchorRow.ofKey(key);
      Bytes _ = AnchorRow.decode(value);
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      if (value != null) {
        check(key, value);
      }
      AnchorTable.this.changed(AnchorRow.ofKey(key), value != null);
    }
  }

  private synchronized void changed(AnchorRow place, boolean isThere) {
    NavigableSet<AnchorRow> places =
        strands.computeIfAbsent(place.strand(), _ -> new TreeSet<>(BY_SIZE));
    boolean _ = isThere ? places.add(place) : places.remove(place);
    if (places.isEmpty()) {
      strands.remove(place.strand());
    }
  }

  /// Ascending by size; the caller's own.
  private synchronized NavigableSet<AnchorRow> places(StrandId strand) {
    NavigableSet<AnchorRow> places = strands.get(strand);
    return places == null ? new TreeSet<>(BY_SIZE) : new TreeSet<>(places);
  }

  @Override
  public void keep(KeptAnchor kept) throws RequestRejectedException {
    boolean _ = NoteWriter.await(keepLater(kept));
  }

  /// {@link #keep} without waiting.
  public CompletableFuture<Boolean> keepLater(KeptAnchor kept) {
    Anchor anchor = kept.anchor();
    AnchorRow place = new AnchorRow(anchor.strand(), anchor.size().value(), kept.kid());
    Bytes row = AnchorRow.encode(kept.encoded());
    return writer.writeLater(
        row.size(),
        (draft, _) -> {
          draft.checkRows(rows);
          keep(draft, place, row);
          return true;
        });
  }

  private void keep(NoteDraft draft, AnchorRow place, Bytes row)
      throws IOException, RequestRejectedException {
    NavigableSet<AnchorRow> places = places(place.strand());
    for (var each : draft.changedWithPrefix(AnchorRow.prefix(place.strand())).entrySet()) {
      AnchorRow changed = placeOf(each.getKey());
      boolean _ = each.getValue().isPresent() ? places.add(changed) : places.remove(changed);
    }
    if (!places.contains(place)) {
      for (AnchorRow dropped : roomIn(places, place.kid())) {
        draft.delete(dropped.key());
      }
    }
    draft.put(place.key(), row);
  }

  private static AnchorRow placeOf(Bytes key) throws RequestRejectedException {
    try {
      return AnchorRow.ofKey(key);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "a row of an anchor: " + e.getMessage(), e);
    }
  }

  /// The anchors that give way to one more of this member.
  private static List<AnchorRow> roomIn(NavigableSet<AnchorRow> places, Digest kid) {
    List<AnchorRow> own = places.stream().filter(each -> each.kid().equals(kid)).toList();
    if (own.size() >= PER_MEMBER_MAX) {
      return List.of(own.getFirst());
    }
    return places.size() >= PER_STRAND_MAX ? List.of(places.first()) : List.of();
  }

  @Override
  public Optional<KeptAnchor> nearest(StrandId strand, long size, Set<Digest> signers)
      throws RequestRejectedException {
    for (AnchorRow place : places(strand).descendingSet()) {
      if (place.size() <= size && signers.contains(place.kid())) {
        Optional<KeptAnchor> found = read(place);
        if (found.isPresent()) { // else it gave way meanwhile
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<KeptAnchor> read(AnchorRow place) throws RequestRejectedException {
    try {
      Bytes row = rows.get(place.key());
      if (row == null) {
        return Optional.empty();
      }
      Bytes encoded = AnchorRow.decode(row);
      return Optional.of(
          new KeptAnchor(Anchor.decode(encoded, place.strand()).anchor(), place.kid(), encoded));
    } catch (IOException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the store of anchors failed: " + e.getMessage(), e);
    } catch (MalformedException | ProofRejectedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "anchor of size " + place.size() + ": " + e.getMessage(), e);
    }
  }
}
