package io.tallystick.server.certificate;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.certificate.KeptChains.Name;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The chains that grants have named, which follow from the log: `"X" ‖ ledgerId ‖ certDigest →
/// [1]`, written by savepoints. The index thread adds and saves, any thread reads. Source:
/// `docs/formats/savepoint.md`.
final class NamedChains {
  private static final Bytes PREFIX = Bytes.utf8("X");
  private static final Bytes ROW = new CborWriter(4).array(1).uint(1).toBytes();

  private final Set<Name> named = ConcurrentHashMap.newKeySet();
  private final List<Name> unsaved = new ArrayList<>();

  /// @throws CorruptStreamException if a row is none of a chain
  static NamedChains open(MetaStore meta) throws IOException, CorruptStreamException {
    NamedChains all = new NamedChains();
    List<MalformedException> damage = new ArrayList<>();
    meta.scan(
        PREFIX,
        null,
        (key, row) -> {
          try {
            all.named.add(decode(key, row));
            return true;
          } catch (MalformedException e) {
            damage.add(e);
            return false;
          }
        });
    if (!damage.isEmpty()) {
      throw new CorruptStreamException(
          "rows of named certificates", 0, String.valueOf(damage.getFirst().getMessage()));
    }
    return all;
  }

  private static Name decode(Bytes key, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("row of a named certificate", 1);
    long version = in.uint();
    in.end();
    if (version != 1) {
      throw new MalformedException("named certificate row version " + version + ", want 1");
    }
    return Name.of(key);
  }

  private static Bytes key(Name name) {
    byte[] key = name.key().toArray();
    PREFIX.copyInto(key, 0);
    return Bytes.wrap(key);
  }

  void add(Name name) {
    if (named.add(name)) {
      unsaved.add(name);
    }
  }

  boolean contains(Name name) {
    return named.contains(name);
  }

  /// Adds what a savepoint must have, whose frames are those that were sealed.
  void savepoint(MetaBatch batch) {
    unsaved.forEach(each -> batch.put(key(each), ROW));
  }

  void saved() {
    unsaved.clear();
  }
}
