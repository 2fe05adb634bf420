package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// A list of hashes of bounded length.
final class Hashes {
  private Hashes() {}

  static List<Digest> decode(CborReader in, int max) throws MalformedException {
    int count = in.arrayAtMost("hashes", max);
    List<Digest> hashes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      hashes.add(in.digest());
    }
    return hashes;
  }
}
