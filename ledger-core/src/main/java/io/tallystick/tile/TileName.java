package io.tallystick.tile;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The public file of a log that a path names; the inverse of {@link TilePath}. A file has exactly
/// one path: an additional zero makes it invalid. Source: C2SP tlog-tiles.
///
/// @param level of hash tiles; 0 for all else
/// @param index of the file among those of its kind
/// @param width items, 1 to 256
public record TileName(Kind kind, int level, long index, int width) {
  /// The content of a file.
  public enum Kind {
    HASHES,
    ENTRIES,
    ATTESTATIONS,
    OPS,
    BODIES
  }

  private static final Pattern PATH =
      Pattern.compile(
          "(?:tile/(?:([0-7])|(entries)|(attest)|(ops))|(bodies))/((?:x[0-9]{3}/){0,5})([0-9]{3})"
              + "(?:\\.p/([1-9][0-9]{0,2}))?");
  private static final int DIGITS = 1000;

  /// The file's first item: a leaf's jsn, or of hash tiles the index of a subtree.
  public long first() {
    return index * TilePath.WIDTH;
  }

  /// @param path below the log's prefix
  /// @return empty if it names no file
  public static Optional<TileName> parse(String path) {
    Matcher matcher = PATH.matcher(path);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long index = 0;
    for (String group : matcher.group(6).split("/", -1)) {
      if (!group.isEmpty()) {
        index = index * DIGITS + Integer.parseInt(group.substring(1));
      }
    }
    index = index * DIGITS + Integer.parseInt(matcher.group(7));
    if (index >= Long.MAX_VALUE / TilePath.WIDTH) {
      return Optional.empty();
    }
    String partial = matcher.group(8);
    int width = partial == null ? TilePath.WIDTH : Integer.parseInt(partial);
    String level = matcher.group(1);
    Kind kind = kind(matcher);
    if (partial != null && width >= TilePath.WIDTH) {
      return Optional.empty();
    }
    TileName name = new TileName(kind, level == null ? 0 : Integer.parseInt(level), index, width);
    return name.path().equals(path) ? Optional.of(name) : Optional.empty();
  }

  private static Kind kind(Matcher matcher) {
    Kind[] kinds = Kind.values(); // in the order of the groups
    for (int i = 0; i < kinds.length; i++) {
      if (matcher.group(i + 1) != null) {
        return kinds[i];
      }
    }
    throw new AssertionError("a path of no kind: " + matcher.group());
  }

  public String path() {
    return switch (kind) {
      case HASHES -> TilePath.hashes(level, index, width);
      case ENTRIES -> TilePath.entries(index, width);
      case ATTESTATIONS -> TilePath.attestations(index, width);
      case OPS -> TilePath.ops(index, width);
      case BODIES -> TilePath.bodies(index, width);
    };
  }
}
