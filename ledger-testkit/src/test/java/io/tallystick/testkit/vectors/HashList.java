package io.tallystick.testkit.vectors;

import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Spoiled copies of a list of hashes.
final class HashList {
  private HashList() {}

  static List<Digest> without(List<Digest> hashes, int index) {
    List<Digest> copy = new ArrayList<>(hashes);
    copy.remove(index);
    return copy;
  }

  static List<Digest> with(List<Digest> hashes, int index, Digest added) {
    List<Digest> copy = new ArrayList<>(hashes);
    copy.add(index, added);
    return copy;
  }

  static List<Digest> swapped(List<Digest> hashes, int one, int other) {
    List<Digest> copy = new ArrayList<>(hashes);
    Collections.swap(copy, one, other);
    return copy;
  }

  /// One bit of one hash turned.
  static List<Digest> flipped(List<Digest> hashes, int index) {
    List<Digest> copy = new ArrayList<>(hashes);
    copy.set(index, flipped(hashes.get(index)));
    return copy;
  }

  static Digest flipped(Digest digest) {
    byte[] bytes = digest.toArray();
    bytes[31] ^= 1;
    return Digest.of(bytes);
  }
}
