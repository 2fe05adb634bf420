package io.tallystick.master.presence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// The kids of a service's two keys, which are given and replaced together.
public record KeyPairKids(Digest note, Digest receipt) {
  /// Pairs that a list may have.
  public static final int PAIRS_MAX = 64;

  private static final int FIELDS = 2;

  /// A list of pairs.
  public static void write(CborWriter writer, List<KeyPairKids> pairs) {
    writer.array(pairs.size());
    for (KeyPairKids pair : pairs) {
      writer.array(FIELDS).digest(pair.note).digest(pair.receipt);
    }
  }

  /// A list of pairs.
  public static List<KeyPairKids> readList(CborReader reader) throws MalformedException {
    int count = reader.arrayAtMost("pairs", PAIRS_MAX);
    List<KeyPairKids> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reader.array("pair", FIELDS);
      pairs.add(new KeyPairKids(reader.digest(), reader.digest()));
    }
    return pairs;
  }

  @Override
  public String toString() {
    return note.hex().substring(0, 16) + "/" + receipt.hex().substring(0, 16);
  }
}
