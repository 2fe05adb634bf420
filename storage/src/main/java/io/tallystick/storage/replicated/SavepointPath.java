package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The value at a shard's `savepoint` path, which its owner alone changes, and the pins below it,
/// which go with the sessions of those who made them. Thread-safe. Source:
/// `docs/formats/replicated.md`.
public final class SavepointPath {
  /// Of a value that is not there yet.
  public static final int ABSENT = -1;

  private static final int FORMAT = 1;
  private static final int FIELDS = 3;

  private final Coordination coordination;
  private final ClusterPaths paths;
  private final ShardClaims claims;
  private final StreamId shard;
  private final RandomGenerator nonces;

  /// A value and the version that a change of it has to name.
  public record Value(Bytes value, int version) {}

  /// @param coordination the one that `claims` uses
  public SavepointPath(
      Coordination coordination,
      ClusterPaths paths,
      ShardClaims claims,
      StreamId shard,
      RandomGenerator nonces) {
    this.coordination = coordination;
    this.paths = paths;
    this.claims = claims;
    this.shard = shard;
    this.nonces = nonces;
  }

  /// Epoch of the claim that this server has made last.
  ///
  /// @throws StreamFencedException if it has made none
  public long epoch() throws StreamFencedException {
    return claim().epoch();
  }

  private ShardClaim claim() throws StreamFencedException {
    return claims
        .held(shard)
        .orElseThrow(() ->
            new StreamFencedException(
                String.format(Locale.ROOT, "shard %d is not claimed here", shard.shard())));
  }

  /// @return empty if the owner has written none
  public Optional<Value> read() throws IOException, CorruptStreamException {
    Optional<Versioned> there = coordination.read(paths.savepoint(shard));
    return there.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Value(decode(paths.savepoint(shard), there.get().value()), there.get().version()));
  }

  /// Replaces the value.
  ///
  /// @param epoch of the claim under which the caller acts
  /// @param version of the value that is replaced; {@link #ABSENT} if there is none
  /// @throws StreamFencedException if another claim was made since
  /// @throws IOException as each change of an owner
  public void write(long epoch, Bytes value, int version) throws IOException {
    ShardClaim claim = claim();
    if (claim.epoch() != epoch) {
      throw new StreamFencedException(
          String.format(
              Locale.ROOT,
              "shard %d is claimed here in epoch %d, not %d",
              shard.shard(),
              claim.epoch(),
              epoch));
    }
    String path = paths.savepoint(shard);
    Change change =
        version == ABSENT
            ? new Change.Create(path, encode(value), false)
            : new Change.Put(path, encode(value), version);
    claims.changes(claim).commit(List.of(change));
  }

  /// Makes a pin, which anyone may. {@link #read} sees what was written before it.
  ///
  /// @return its name
  public String pin(Bytes value) throws IOException {
    String name = String.format(Locale.ROOT, "%016x", nonces.nextLong());
    coordination.commit(
        List.of(new Change.Create(paths.savepointPin(shard, name), encode(value), true)));
    return name;
  }

  /// Ends a pin.
  public void unpin(String name) throws IOException {
    coordination.commit(List.of(new Change.Delete(paths.savepointPin(shard, name), Change.ANY)));
  }

  /// The values of all pins.
  public List<Bytes> pins() throws IOException, CorruptStreamException {
    List<Bytes> pins = new ArrayList<>();
    for (String name : coordination.children(paths.savepoint(shard))) {
      String path = paths.savepointPin(shard, name);
      Optional<Versioned> there = coordination.read(path);
      if (there.isPresent()) {
        pins.add(decode(path, there.get().value()));
      }
    }
    return pins;
  }

  private Bytes encode(Bytes value) {
    CborWriter writer = new CborWriter().array(FIELDS).uint(FORMAT);
    return ValueFields.write(writer, nonces.nextLong()).bytes(value).toBytes();
  }

  private static Bytes decode(String path, Bytes stored) throws CorruptStreamException {
    try {
      CborReader reader = new CborReader(stored);
      ValueFields.begin(reader, "savepoint value", FIELDS, FORMAT);
      long _ = ValueFields.read(reader);
      byte[] value = reader.bytes();
      reader.end();
      return Bytes.wrap(value);
    } catch (MalformedException e) {
      throw new CorruptStreamException(path, 0, String.valueOf(e.getMessage()), e);
    }
  }
}
