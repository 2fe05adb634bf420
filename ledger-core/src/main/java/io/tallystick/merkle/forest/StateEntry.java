package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import java.util.Locale;
import java.util.Optional;

/// The entry of one key in a partition: `[4, key, present, valueCommit|nil, valueSize, jsn]`. An
/// entry without a commitment is a tombstone: the key was deleted. Source:
/// `docs/formats/forest.md`.
///
/// @param key 1 to 256 bytes
/// @param valueCommit of the value that was put; empty in a tombstone
/// @param valueSizeBytes of that value; 0 in a tombstone
/// @param jsn of the journal that wrote the entry
public record StateEntry(Bytes key, Optional<Digest> valueCommit, long valueSizeBytes, Jsn jsn) {
  public static final int KEY_BYTES_MAX = 256;

  private static final int TYPE = 4;
  private static final int ITEMS = 6;

  public StateEntry {
    if (key.isEmpty() || key.size() > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "key of " + key.size() + " bytes, want 1 to " + KEY_BYTES_MAX);
    }
    if (valueSizeBytes < 0 || (valueCommit.isEmpty() && valueSizeBytes != 0)) {
      throw new IllegalArgumentException("value of " + valueSizeBytes + " bytes");
    }
  }

  public static StateEntry put(Bytes key, Digest valueCommit, long valueSizeBytes, Jsn jsn) {
    return new StateEntry(key, Optional.of(valueCommit), valueSizeBytes, jsn);
  }

  public static StateEntry tombstone(Bytes key, Jsn jsn) {
    return new StateEntry(key, Optional.empty(), 0, jsn);
  }

  /// Whether the key has a value, as opposed to having been deleted.
  public boolean isPresent() {
    return valueCommit.isPresent();
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(64 + key.size());
    out.array(ITEMS).uint(TYPE).bytes(key).bool(isPresent());
    valueCommit.ifPresentOrElse(out::digest, out::nil);
    return out.uint(valueSizeBytes).uint(jsn.value()).toBytes();
  }

  public static StateEntry decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("entry", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no entry, want " + TYPE);
    }
    Bytes key = Bytes.wrap(in.bytes("key", KEY_BYTES_MAX));
    if (key.isEmpty()) {
      throw new MalformedException("an entry without a key");
    }
    boolean present = in.bool();
    Optional<Digest> commit = in.nil() ? Optional.empty() : Optional.of(in.digest());
    long size = in.uint();
    long jsn = in.uint();
    in.end();
    if (present != commit.isPresent() || (!present && size != 0)) {
      throw new MalformedException("a tombstone with a value, or an entry without one");
    }
    return new StateEntry(key, commit, size, new Jsn(jsn));
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "StateEntry[%s %s by journal %s]",
        Printable.name(key),
        isPresent() ? "has a value of " + valueSizeBytes + " bytes" : "was deleted",
        jsn);
  }
}
