package io.tallystick.server.certificate;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chains on the disk: a row each, and an object that the row names. The object is made before the
/// row. A row whose object is gone is that of an erased chain. For one thread at a time.
final class KeptChains {
  private static final Logger LOG = LoggerFactory.getLogger(KeptChains.class);

  /// Changes of one write.
  private static final int BATCH_ROWS = 1_000;

  private final MetaStore meta;
  private final ObjectStore objects;

  KeptChains(MetaStore meta, ObjectStore objects) {
    this.meta = meta;
    this.objects = objects;
  }

  /// Which chain of which ledger.
  record Name(LedgerId ledger, Digest certDigest) {
    Bytes key() {
      return ChainRow.key(ledger, certDigest);
    }
  }

  /// All that are kept, with until when.
  ///
  /// @param mayDelete whether rows whose object is gone are deleted, and objects that no row names
  /// @throws CorruptStreamException if a row does not decode, or is not the one its key names
  Map<Name, Long> open(boolean mayDelete) throws IOException, CorruptStreamException {
    Map<Name, Long> kept = new LinkedHashMap<>();
    List<Name> erased = new ArrayList<>();
    Set<Digest> left = new HashSet<>(objects.list());
    List<String> damaged = new ArrayList<>();
    meta.scan(
        ChainRow.PREFIX,
        null,
        (key, row) -> {
          try {
            Name name = new Name(ChainRow.ledger(key), ChainRow.certDigest(key));
            ChainRow found = ChainRow.decode(row);
            if (isThere(name, found, left)) {
              kept.put(name, found.untilMs());
            } else {
              erased.add(name);
            }
            return true;
          } catch (MalformedException e) {
            damaged.add(String.valueOf(e.getMessage()));
            return false;
          }
        });
    if (!damaged.isEmpty()) {
      throw new CorruptStreamException("certificate rows", 0, damaged.getFirst());
    }
    if (mayDelete) {
      forget(erased);
      for (Digest unnamed : left) {
        objects.delete(unnamed);
      }
    }
    return kept;
  }

  /// @param left the objects that no row has named so far
  private static boolean isThere(Name name, ChainRow row, Set<Digest> left)
      throws MalformedException {
    return switch (row.content()) {
      case ChainRow.InObject(int _, Digest object) -> left.remove(object);
      case ChainRow.InRow(CertificateChain chain) -> {
        if (!chain.digest().equals(name.certDigest())) {
          throw new MalformedException("row " + name.key() + " holds another chain");
        }
        yield true;
      }
    };
  }

  private void forget(List<Name> erased) throws IOException {
    if (!erased.isEmpty()) {
      LOG.info("{} certificate chains count as erased: their objects are gone", erased.size());
    }
    for (int from = 0; from < erased.size(); from += BATCH_ROWS) {
      write(List.of(), erased.subList(from, Math.min(from + BATCH_ROWS, erased.size())));
    }
  }

  /// A row to be written.
  private record Kept(Name name, long untilMs, ChainRow.InObject object) {}

  /// Nothing else writes these rows. Durable on return.
  private void write(List<Kept> kept, List<Name> forgotten) throws IOException {
    MetaBatch batch = new MetaBatch();
    kept.forEach(
        each -> batch.put(each.name().key(), ChainRow.encode(each.untilMs(), each.object())));
    forgotten.forEach(each -> batch.delete(each.key()));
    meta.write(batch);
  }

  private @Nullable ChainRow row(Name name) throws IOException, MalformedException {
    Bytes row = meta.get(name.key());
    return row == null ? null : ChainRow.decode(row);
  }

  /// @return empty if it is erased
  /// @throws MalformedException if its row is gone, or row or object are another's
  /// @throws CorruptStreamException if the object is damaged
  Optional<CertificateChain> find(Name name)
      throws IOException, MalformedException, CorruptStreamException {
    ChainRow row = row(name);
    if (row == null) {
      throw new MalformedException("its row is gone");
    }
    return switch (row.content()) {
      case ChainRow.InRow(CertificateChain chain) -> Optional.of(chain);
      case ChainRow.InObject(int bytes, Digest object) -> find(name, object, bytes);
    };
  }

  private Optional<CertificateChain> find(Name name, Digest object, int bytes)
      throws IOException, MalformedException, CorruptStreamException {
    Optional<StoredObject> found = objects.open(object);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (StoredObject stored = found.get()) {
      return Optional.of(ChainObject.decode(stored.whole(bytes), name.ledger(), name.certDigest()));
    }
  }

  /// Keeps a chain, and drops others in the same write.
  void keep(Name name, CertificateChain chain, long untilMs, List<Name> dropped)
      throws IOException, MalformedException {
    List<Digest> unnamed = objectsOf(dropped);
    write(List.of(new Kept(name, untilMs, put(name.ledger(), chain))), dropped);
    delete(unnamed);
  }

  private ChainRow.InObject put(LedgerId ledger, CertificateChain chain) throws IOException {
    Bytes content = ChainObject.encode(ledger, chain);
    try (ObjectWriter writer = objects.create()) {
      writer.write(ByteBuffer.wrap(content.unsafeArray()));
      return new ChainRow.InObject(content.size(), writer.finish());
    }
  }

  /// Writes anew until when a chain is kept; nothing if its row is gone.
  void keepUntil(Name name, long untilMs) throws IOException, MalformedException {
    ChainRow row = row(name);
    if (row != null) {
      ChainRow.InObject object =
          switch (row.content()) {
            case ChainRow.InObject there -> there;
            case ChainRow.InRow(CertificateChain chain) -> put(name.ledger(), chain);
          };
      write(List.of(new Kept(name, untilMs, object)), List.of());
    }
  }

  /// Erases a chain: first its object, durably, then its row. Goes on where an earlier try failed.
  void erase(Name name) throws IOException, MalformedException {
    for (Digest object : objectsOf(List.of(name))) {
      objects.delete(object);
    }
    write(List.of(), List.of(name));
  }

  /// Drops chains that nobody needs: first their rows, then their objects.
  void drop(List<Name> names) throws IOException, MalformedException {
    List<Digest> unnamed = objectsOf(names);
    write(List.of(), names);
    delete(unnamed);
  }

  private List<Digest> objectsOf(List<Name> names) throws IOException, MalformedException {
    List<Digest> found = new ArrayList<>();
    for (Name each : names) {
      ChainRow row = row(each);
      if (row != null && row.content() instanceof ChainRow.InObject(int _, Digest object)) {
        found.add(object);
      }
    }
    return found;
  }

  private void delete(List<Digest> unnamed) {
    try {
      for (Digest each : unnamed) {
        objects.delete(each);
      }
    } catch (IOException e) {
      LOG.warn("objects of dropped certificate chains go at the next start: {}", e.toString());
    }
  }
}
