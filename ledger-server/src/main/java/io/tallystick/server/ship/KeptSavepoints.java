package io.tallystick.server.ship;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The savepoints of a shard that the pointer names or that are pinned, with their manifests. The
/// shipper's alone.
final class KeptSavepoints {
  private static final Logger LOG = LoggerFactory.getLogger(KeptSavepoints.class);

  /// A pin that is older keeps nothing: erasing must not wait for ever.
  private static final Duration PIN_AGE_MAX = Duration.ofHours(24);

  private final SavepointStore store;
  private final SavepointPointer pointer;
  private final Map<Digest, SavepointManifest> manifests = new HashMap<>();
  private List<PublishedSavepoint> named = List.of();

  KeptSavepoints(SavepointStore store, SavepointPointer pointer) {
    this.store = store;
    this.pointer = pointer;
  }

  /// Those that the pointer names, newest first.
  List<PublishedSavepoint> named() {
    return named;
  }

  void read() throws IOException, CorruptStreamException {
    named = pointer.read();
  }

  void published(List<PublishedSavepoint> newestFirst, SavepointManifest newest) {
    named = List.copyOf(newestFirst);
    manifests.put(newestFirst.getFirst().manifest().name(), newest);
  }

  /// The pieces that need not be put again, by name: those of the newest savepoint, but of parts of
  /// which more than half is garbage, so that each such part can go.
  Map<Digest, ShippedPiece> reusable() throws IOException {
    Map<Digest, ShippedPiece> pieces = new HashMap<>();
    if (named.isEmpty()) {
      return pieces;
    }
    try {
      SavepointManifest newest = manifest(named.getFirst());
      Map<Bytes, Long> live = new HashMap<>();
      for (ShippedPiece piece : distinct(newest)) {
        live.merge(piece.part(), (long) piece.bytes(), Long::sum);
      }
      for (ShippedPiece piece : distinct(newest)) {
        if (2 * live.getOrDefault(piece.part(), 0L) >= partBytes(piece.part())) {
          pieces.put(piece.name(), piece);
        }
      }
    } catch (SavepointRefusedException e) {
      LOG.error(
          "the newest shipped savepoint cannot be read, a whole one follows: {}", e.toString());
    }
    return pieces;
  }

  /// Bytes that were put into a part of the newest savepoint.
  long partBytes(Bytes part) {
    SavepointManifest newest =
        named.isEmpty() ? null : manifests.get(named.getFirst().manifest().name());
    return newest == null ? 0 : newest.parts().getOrDefault(part, 0L);
  }

  private static Set<ShippedPiece> distinct(SavepointManifest manifest) {
    Set<ShippedPiece> pieces = new HashSet<>();
    manifest.files().forEach(file -> pieces.addAll(file.pieces()));
    return pieces;
  }

  private SavepointManifest manifest(PublishedSavepoint savepoint)
      throws IOException, SavepointRefusedException {
    Digest name = savepoint.manifest().name();
    SavepointManifest known = manifests.get(name);
    if (known == null) {
      known = SavepointManifest.get(store, savepoint);
      manifests.put(name, known);
    }
    return known;
  }

  /// Those that the pointer names, and those that are pinned.
  ///
  /// @param nowMs of the clock
  List<PublishedSavepoint> all(long nowMs) throws IOException, CorruptStreamException {
    List<PublishedSavepoint> all = new ArrayList<>(named);
    for (PublishedSavepoint pin : pointer.pinned()) {
      if (pin.timeMs() > nowMs - PIN_AGE_MAX.toMillis()) {
        all.add(pin);
      }
    }
    return all;
  }

  /// The parts that some savepoints need.
  ///
  /// @throws SavepointRefusedException if that cannot be known
  Set<Bytes> parts(List<PublishedSavepoint> savepoints)
      throws IOException, SavepointRefusedException {
    Set<Bytes> parts = new HashSet<>();
    Set<Digest> names = new HashSet<>();
    for (PublishedSavepoint each : savepoints) {
      parts.add(each.manifest().part());
      parts.addAll(manifest(each).parts().keySet());
      names.add(each.manifest().name());
    }
    manifests.keySet().retainAll(names);
    return parts;
  }
}
