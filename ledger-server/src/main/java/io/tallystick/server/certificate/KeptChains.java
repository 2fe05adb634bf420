package io.tallystick.server.certificate;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// The objects that chains are in. A row whose object is gone is that of an erased chain.
record KeptChains(ObjectStore objects) {
  /// Which chain of which ledger.
  record Name(LedgerId ledger, Digest certDigest) {
    Bytes key() {
      return ChainRow.key(ledger, certDigest);
    }

    static Name of(Bytes key) throws MalformedException {
      return new Name(ChainRow.ledger(key), ChainRow.certDigest(key));
    }
  }

  /// Durable on return.
  KeptObject put(NotedObjects.Making making, LedgerId ledger, CertificateChain chain)
      throws IOException {
    try (ObjectWriter writer = objects.create()) {
      writer.write(ByteBuffer.wrap(ChainObject.encode(ledger, chain).unsafeArray()));
      return making.finish(writer);
    }
  }

  /// @return empty if it is erased
  /// @throws MalformedException if the object is another's
  /// @throws CorruptStreamException if the object is damaged
  Optional<CertificateChain> find(Name name, ChainRow row)
      throws IOException, MalformedException, CorruptStreamException {
    return switch (row.content()) {
      case ChainRow.InRow(CertificateChain chain) -> Optional.of(chain);
      case ChainRow.InObject(KeptObject object) -> find(name, object);
    };
  }

  private Optional<CertificateChain> find(Name name, KeptObject object)
      throws IOException, MalformedException, CorruptStreamException {
    Optional<StoredObject> found = objects.open(object);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (StoredObject stored = found.get()) {
      return Optional.of(
          ChainObject.decode(
              stored.whole(ChainObject.BYTES_MAX), name.ledger(), name.certDigest()));
    }
  }

  boolean isGone(KeptObject object) throws IOException {
    Optional<StoredObject> found = objects.open(object);
    if (found.isPresent()) {
      found.get().close();
    }
    return found.isEmpty();
  }
}
