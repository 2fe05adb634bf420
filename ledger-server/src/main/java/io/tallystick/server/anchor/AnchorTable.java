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
import io.tallystick.server.note.NoteWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The anchors of a shard's strands, as notes. A log is complete without them.
public final class AnchorTable implements KeptAnchors {
  private final NoteWriter notes;

  public AnchorTable(NoteWriter notes) {
    this.notes = notes;
  }

  @Override
  public void keep(KeptAnchor kept) throws RequestRejectedException {
    Anchor anchor = kept.anchor();
    AnchorRow place = new AnchorRow(anchor.strand(), anchor.size().value(), kept.kid());
    Bytes row = AnchorRow.encode(kept.encoded());
    boolean _ =
        notes.write(
            row.size(),
            (draft, _) -> {
              keep(draft, place, row);
              return true;
            });
  }

  private static void keep(NoteDraft draft, AnchorRow place, Bytes row)
      throws IOException, RequestRejectedException {
    List<AnchorRow> places = places(draft.withPrefix(AnchorRow.prefix(place.strand())).keySet());
    if (!places.contains(place)) {
      for (AnchorRow dropped : roomIn(places, place.kid())) {
        draft.delete(dropped.key());
      }
    }
    draft.put(place.key(), row);
  }

  /// @return ascending by size
  private static List<AnchorRow> places(Collection<Bytes> keys) throws RequestRejectedException {
    List<AnchorRow> places = new ArrayList<>(keys.size());
    for (Bytes key : keys) {
      places.add(placeOf(key));
    }
    return places;
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
  private static List<AnchorRow> roomIn(List<AnchorRow> places, Digest kid) {
    List<AnchorRow> own = places.stream().filter(each -> each.kid().equals(kid)).toList();
    if (own.size() >= PER_MEMBER_MAX) {
      return List.of(own.getFirst());
    }
    return places.size() >= PER_STRAND_MAX ? List.of(places.getFirst()) : List.of();
  }

  @Override
  public Optional<KeptAnchor> nearest(StrandId strand, long size, Set<Digest> signers)
      throws RequestRejectedException {
    try {
      var rows = notes.rows().withPrefix(AnchorRow.prefix(strand));
      for (var row : rows.descendingMap().entrySet()) {
        AnchorRow place = placeOf(row.getKey());
        if (place.size() <= size && signers.contains(place.kid())) {
          return Optional.of(read(place, row.getValue()));
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the store of anchors failed: " + e.getMessage(), e);
    }
  }

  private static KeptAnchor read(AnchorRow place, Bytes row) throws RequestRejectedException {
    try {
      Bytes encoded = AnchorRow.decode(row);
      return new KeptAnchor(Anchor.decode(encoded, place.strand()).anchor(), place.kid(), encoded);
    } catch (MalformedException | ProofRejectedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "anchor of size " + place.size() + ": " + e.getMessage(), e);
    }
  }
}
