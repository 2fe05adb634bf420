package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
  private static final int LINES_MAX = 100_000;
  private static final long BYTES_MAX = 32L << 20;
  private static final Pattern LINE = Pattern.compile("(founder|inviter) +([0-9a-f]+)( .*)?");
  private static final int KID_DIGITS = 64;

  FoundersFile {
    founders = Set.copyOf(founders);
    inviters = Map.copyOf(inviters);
  }

  /// @throws IOException if it cannot be read, or a line is none; the message names file and line
  static FoundersFile read(Path file) throws IOException {
    if (Files.size(file) > BYTES_MAX) {
      throw new IOException(file + " is longer than " + BYTES_MAX + " bytes");
    }
    Set<Digest> founders = new HashSet<>();
    Map<Digest, PublicKey> inviters = new HashMap<>();
    int number = 0;
    for (String line : text(file).lines().toList()) {
      number++;
      if (number > LINES_MAX) {
        throw new IOException(file + " has more than " + LINES_MAX + " lines");
      }
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      var parts = LINE.matcher(line.strip());
      if (!parts.matches()) {
        throw new IOException(
            file + " line " + number + " is neither `founder KID` nor `inviter SPKI`, in hex");
      }
      if (parts.group(1).equals("founder")) {
        founders.add(kid(file, number, parts.group(2)));
      } else {
        PublicKey key = key(file, number, parts.group(2));
        inviters.put(key.kid(), key);
      }
    }
    return new FoundersFile(founders, inviters);
  }

  @Override
  public String toString() {
    return founders.size() + " founders, " + inviters.size() + " inviters";
  }

  private static String text(Path file) throws IOException {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not UTF-8", e);
    }
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
