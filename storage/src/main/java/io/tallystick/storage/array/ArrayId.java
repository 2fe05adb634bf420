package io.tallystick.storage.array;

import io.tallystick.model.StrandId;
import java.util.Locale;
import java.util.regex.Pattern;

/// Names an array within its shard.
///
/// @param name 1 to 32 of `a-z`, `0-9` and `-`: it is part of a file name and of row keys
public record ArrayId(StrandId strand, String name) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

  public ArrayId {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("array name \"" + name + "\" does not match " + NAME);
    }
  }

  /// The directory of the strand's files, relative to the data directory.
  String directory() {
    return String.format(
        Locale.ROOT, "%s/%s-%d", ROOT_DIRECTORY, strand.ledger().hex(), strand.strand());
  }

  String fileName() {
    return directory() + "/" + name + SUFFIX;
  }

  @Override
  public String toString() {
    return strand + "/" + name;
  }

  static final String ROOT_DIRECTORY = "index";
  static final String SUFFIX = ".arr";
}
