package io.tallystick.master.identity;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What all machines of a cluster agree on: the value at its `identity` path. Source:
/// `docs/formats/replicated.md`.
///
/// @param shards how many there are
/// @param formats the version that is written of each, by name
/// @param pairs of service keys that are listed
/// @param present the pair that new ledgers name
/// @param nonce drawn at random for this value
public record ClusterIdentity(
    Authority authority,
    int shards,
    SortedMap<String, Integer> formats,
    List<KeyPairKids> pairs,
    KeyPairKids present,
    long nonce) {
  public static final int SHARDS_MAX = 4096;

  private static final int FIELDS = 7;
  private static final int FORMATS_MAX = 64;

  public ClusterIdentity {
    formats = Collections.unmodifiableSortedMap(new TreeMap<>(formats));
    pairs = List.copyOf(pairs);
    if (shards < 1 || shards > SHARDS_MAX) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%d shards, want 1 to %d", shards, SHARDS_MAX));
    }
    if (!pairs.contains(present)) {
      throw new IllegalArgumentException("the present key pair " + present + " is not listed");
    }
  }

  /// An identity and the version of its path.
  public record Read(ClusterIdentity identity, int version) {}

  /// Reads the identity of a cluster, which may have got key pairs or shards since.
  ///
  /// @throws NoClusterException if there is no such cluster
  public static Read read(Coordination coordination, ClusterPaths paths)
      throws IOException, CorruptStreamException, NoClusterException {
    Optional<Versioned> there = coordination.read(paths.identity());
    if (there.isEmpty()) {
      throw new NoClusterException(paths.cluster());
    }
    return new Read(decode(paths.identity(), there.get()), there.get().version());
  }

  ClusterIdentity withPairs(List<KeyPairKids> others, KeyPairKids now, long newNonce) {
    return new ClusterIdentity(authority, shards, formats, others, now, newNonce);
  }

  ClusterIdentity withShards(int more, long newNonce) {
    return new ClusterIdentity(authority, more, formats, pairs, present, newNonce);
  }

  Bytes encode() {
    CborWriter writer = SharedValue.begin(FIELDS).text(authority.value()).uint(shards);
    writer.array(2 * formats.size());
    formats.forEach((name, version) -> writer.text(name).uint(version));
    KeyPairKids.write(writer, pairs);
    writer.uint(pairs.indexOf(present));
    return SharedValue.end(writer, nonce);
  }

  static ClusterIdentity decode(String path, Versioned there) throws CorruptStreamException {
    return SharedValue.decode(path, there, FIELDS, ClusterIdentity::fields);
  }

  private static ClusterIdentity fields(CborReader reader) throws MalformedException {
    Authority authority = Authority.parse(reader.text());
    int shards = (int) reader.uint("shards", SHARDS_MAX);
    SortedMap<String, Integer> formats = formats(reader);
    List<KeyPairKids> pairs = new ArrayList<>(KeyPairKids.readList(reader));
    int present = (int) reader.uint("present", Integer.MAX_VALUE);
    if (shards < 1 || present >= pairs.size()) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "%d shards, key pair %d of %d", shards, present, pairs.size()));
    }
    return new ClusterIdentity(
        authority, shards, formats, pairs, pairs.get(present), SharedValue.nonce(reader));
  }

  private static SortedMap<String, Integer> formats(CborReader reader) throws MalformedException {
    int count = reader.arrayAtMost("formats", 2 * FORMATS_MAX);
    SortedMap<String, Integer> formats = new TreeMap<>();
    for (int i = 0; i < count / 2; i++) {
      formats.put(reader.text(), (int) reader.uint("version", Integer.MAX_VALUE));
    }
    if (count % 2 != 0 || formats.size() != count / 2) {
      throw new MalformedException("formats are not names with versions");
    }
    return formats;
  }
}
