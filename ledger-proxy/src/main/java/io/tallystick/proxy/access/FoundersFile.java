package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// The operator's list of who may found ledgers. A line is `founder KID` or `inviter SPKI`, both in
/// hex as `tally keygen` shows them, with anything behind a further space; empty lines and those
/// that begin with `#` say nothing.
///
/// @param founders kids of keys that may found
/// @param inviters keys that may invite others to found, by kid
record FoundersFile(Set<Digest> founders, Map<Digest, PublicKey> inviters) {
  private static final Pattern LINE = Pattern.compile("(founder|inviter) +([0-9a-f]+)( .*)?");
  private static final String OTHERWISE = "neither `founder KID` nor `inviter SPKI`, in hex";
  private static final int KID_DIGITS = 64;

  FoundersFile {
    founders = Set.copyOf(founders);
    inviters = Map.copyOf(inviters);
  }

  /// @throws IOException if it cannot be read, or a line is none; the message names file and line
  static FoundersFile read(Path file) throws IOException {
    Set<Digest> founders = new HashSet<>();
    Map<Digest, PublicKey> inviters = new HashMap<>();
    for (ListedLines.Line line : new ListedLines(file, LINE, OTHERWISE).read()) {
      if (line.parts().group(1).equals("founder")) {
        founders.add(kid(file, line.number(), line.parts().group(2)));
      } else {
        PublicKey key = key(file, line.number(), line.parts().group(2));
        inviters.put(key.kid(), key);
      }
    }
    return new FoundersFile(founders, inviters);
  }

  @Override
  public String toString() {
    return founders.size() + " founders, " + inviters.size() + " inviters";
  }

  private static Digest kid(Path file, int line, String hex) throws IOException {
    if (hex.length() != KID_DIGITS) {
      throw new IOException(
          file + " line " + line + ": kid of " + hex.length() + " hex digits, want " + KID_DIGITS);
    }
    return Digest.fromHex(hex);
  }

  private static PublicKey key(Path file, int line, String hex) throws IOException {
    try {
      return PublicKey.ofSpki(Bytes.wrap(HexFormat.of().parseHex(hex)));
    } catch (MalformedException | IllegalArgumentException e) {
      throw new IOException(file + " line " + line + ": " + e.getMessage(), e);
    }
  }
}
