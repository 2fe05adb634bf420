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
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/// The anchors of a shard's strands: rows of the meta store, each written by itself, and in memory
/// the sizes and signers that there are. They are no part of a savepoint, and a log is complete
/// without them.
public final class AnchorTable implements KeptAnchors {
  private static final Comparator<AnchorRow> BY_SIZE =
      Comparator.comparingLong(AnchorRow::size).thenComparing(AnchorRow::kid);

  private final MetaStore meta;
  private final Map<StrandId, NavigableSet<AnchorRow>> strands = new HashMap<>();

  private AnchorTable(MetaStore meta) {
    this.meta = meta;
  }

  /// Reads what is kept.
  ///
  /// @throws CorruptStreamException if a row is none of an anchor
  public static AnchorTable open(MetaStore meta) throws IOException, CorruptStreamException {
    AnchorTable table = new AnchorTable(meta);
    List<String> damaged = new ArrayList<>();
    meta.scan(
        AnchorRow.PREFIX,
        null,
        (key, row) -> {
          try {
            Bytes _ = AnchorRow.decode(row);
            AnchorRow place = AnchorRow.ofKey(key);
            table.places(place.strand()).add(place);
            return true;
          } catch (MalformedException e) {
            damaged.add(String.valueOf(e.getMessage()));
            return false;
          }
        });
    if (!damaged.isEmpty()) {
      throw new CorruptStreamException("anchor rows", 0, damaged.getFirst());
    }
    return table;
  }

  private NavigableSet<AnchorRow> places(StrandId strand) {
    return strands.computeIfAbsent(strand, _ -> new TreeSet<>(BY_SIZE));
  }

  @Override
  public synchronized void keep(KeptAnchor kept) throws RequestRejectedException {
    Anchor anchor = kept.anchor();
    AnchorRow place = new AnchorRow(anchor.strand(), anchor.size().value(), kept.kid());
    NavigableSet<AnchorRow> places = places(anchor.strand());
    List<AnchorRow> dropped = places.contains(place) ? List.of() : roomIn(places, kept.kid());
    MetaBatch batch = new MetaBatch();
    dropped.forEach(each -> batch.delete(each.key()));
    batch.put(place.key(), AnchorRow.encode(kept.encoded()));
    try {
      meta.write(batch);
    } catch (IOException e) {
      throw failed(e);
    }
    dropped.forEach(places::remove);
    places.add(place);
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
  public synchronized Optional<KeptAnchor> nearest(
      StrandId strand, long size, Predicate<Digest> counts) throws RequestRejectedException {
    NavigableSet<AnchorRow> places = strands.get(strand);
    if (places == null) {
      return Optional.empty();
    }
    for (AnchorRow place : places.descendingSet()) {
      if (place.size() <= size && counts.test(place.kid())) {
        return Optional.of(read(place));
      }
    }
    return Optional.empty();
  }

  private KeptAnchor read(AnchorRow place) throws RequestRejectedException {
    try {
      Bytes row = meta.get(place.key());
      if (row == null) {
        throw new RequestRejectedException(
            RejectionCode.DAMAGED, "the row of the anchor of size " + place.size() + " is gone");
      }
      Bytes encoded = AnchorRow.decode(row);
      return new KeptAnchor(Anchor.decode(encoded, place.strand()).anchor(), place.kid(), encoded);
    } catch (IOException e) {
      throw failed(e);
    } catch (MalformedException | ProofRejectedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "anchor of size " + place.size() + ": " + e.getMessage(), e);
    }
  }

  private static RequestRejectedException failed(IOException e) {
    return new RequestRejectedException(
        e instanceof DiskFullException ? RejectionCode.STORAGE_FULL : RejectionCode.UNAVAILABLE,
        "the store of anchors failed: " + e.getMessage(),
        e);
  }
}
