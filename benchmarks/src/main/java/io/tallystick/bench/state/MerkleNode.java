package io.tallystick.bench.state;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A node of the textbook Merkle B⁺-tree: `level u8 ‖ count u16 ‖ (keyBytes u16 ‖ key ‖ hash)…`.
/// Its hash is the SHA-256 of all of it. A record of a leaf (level 0) has a key and its value's
/// hash. A record of an inner node has the hash of a child and the smallest key that belongs below
/// it; that of the first record does not count.
///
/// @param records in ascending order of their keys, at least one
record MerkleNode(int level, List<Item> records) {
  private static final int HEAD_BYTES = 3;

  MerkleNode {
    records = List.copyOf(records);
  }

  record Item(Bytes key, Digest hash) {}

  Bytes encode() {
    int size = HEAD_BYTES;
    for (Item item : records) {
      size += Short.BYTES + item.key.size() + Digest.BYTES;
    }
    byte[] bytes = new byte[size];
    ByteBuffer out = ByteBuffer.wrap(bytes);
    out.put((byte) level).putShort((short) records.size());
    for (Item item : records) {
      out.putShort((short) item.key.size()).put(item.key.unsafeArray());
      item.hash.copyInto(bytes, out.position());
      out.position(out.position() + Digest.BYTES);
    }
    return Bytes.wrap(bytes);
  }

  static MerkleNode decode(byte[] encoded) {
    ByteBuffer in = ByteBuffer.wrap(encoded);
    int level = in.get();
    int count = in.getShort();
    List<Item> records = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int keyBytes = in.getShort();
      Bytes key = Bytes.copyOf(encoded, in.position(), keyBytes);
      int hashAt = in.position() + keyBytes;
      records.add(new Item(key, Digest.of(encoded, hashAt)));
      in.position(hashAt + Digest.BYTES);
    }
    return new MerkleNode(level, records);
  }

  static Digest hash(byte[] encoded) {
    return Sha256.hash(encoded);
  }

  static int level(byte[] encoded) {
    return encoded[0];
  }

  /// The hash in the slot of a key, found in the encoding: of a leaf only if the key is there.
  static Optional<Digest> find(byte[] encoded, Bytes key) {
    byte[] wanted = key.unsafeArray();
    ByteBuffer in = ByteBuffer.wrap(encoded);
    boolean leaf = in.get() == 0;
    int count = in.getShort();
    int found = -1;
    for (int i = 0; i < count; i++) {
      int keyBytes = in.getShort();
      int at = in.position();
      int order = Arrays.compareUnsigned(encoded, at, at + keyBytes, wanted, 0, wanted.length);
      if (leaf && order == 0) {
        return Optional.of(Digest.of(encoded, at + keyBytes));
      }
      if (order > 0 && (leaf || i > 0)) {
        break;
      }
      found = at + keyBytes;
      in.position(found + Digest.BYTES);
    }
    return leaf ? Optional.empty() : Optional.of(Digest.of(encoded, found));
  }
}
