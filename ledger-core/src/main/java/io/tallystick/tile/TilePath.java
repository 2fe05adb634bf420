package io.tallystick.tile;

import java.util.Locale;
import java.util.Objects;

/// Where the public files of a log lie, relative to its prefix. A file holds 256 items, the last of
/// its kind fewer: that one is *partial*, and its name says how many. Source: C2SP tlog-tiles.
public final class TilePath {
  /// Items of a full file: hashes of a tile, entries of a bundle.
  public static final int WIDTH = 256;

  /// Levels of the tree that a tile spans; level `l` of tiles has the hashes of level `8 * l`.
  public static final int HEIGHT = 8;

  /// No level of tiles is higher: 62 levels of hashes.
  public static final int LEVEL_MAX = 7;

  /// The newest signed head, a C2SP checkpoint.
  public static final String CHECKPOINT = "checkpoint";

  /// The newest checkpoint of the log that witnesses cosigned, in an export.
  public static final String COSIGNED = "checkpoint.cosigned";

  /// The origin and a newline: whose folder this is. Not of C2SP, and nothing depends on it but
  /// which log is exported there.
  public static final String ORIGIN = "origin";

  /// The name of the file that says what this copy of the log leaves out: `bodies` and a newline.
  /// Not of C2SP; only in an export without bodies. Nobody signs it: an audit says what it did not
  /// check.
  public static final String LEFT_OUT = "left-out";

  /// How the service's keys came from those of genesis. Not of C2SP; only in logs whose keys were
  /// rotated.
  public static final String KEY_CHAIN = "key-chain";

  /// With what a purged log begins. Not of C2SP; only in logs of which a prefix was purged.
  public static final String PSEUDO_GENESIS = "pseudo-genesis";

  /// The signatures of the purged part that could be used again. Beside the pseudo-genesis.
  public static final String SNAPSHOT_WINDOW = "snapshot/window";

  /// The clues up to where it begins.
  public static final String SNAPSHOT_CLUES = "snapshot/clues";

  /// The state as of the seal that it begins behind.
  public static final String SNAPSHOT_STATE = "snapshot/state";

  private static final int DIGITS = 1000;

  private TilePath() {}

  /// Hashes `[256 * index, 256 * index + width)` of a level, 32 bytes each.
  public static String hashes(int level, long index, int width) {
    Objects.checkIndex(level, LEVEL_MAX + 1);
    return "tile/" + level + "/" + number(index, width);
  }

  /// The leaves themselves, each behind a u16.
  public static String entries(long index, int width) {
    return "tile/entries/" + number(index, width);
  }

  /// The path of the attestations that signed a bundle's journals, each behind a u32.
  public static String attestations(long index, int width) {
    return "tile/attest/" + number(index, width);
  }

  /// Operations, each behind a u32; only of a log whose ledger has a state.
  public static String ops(long index, int width) {
    return "tile/ops/" + number(index, width);
  }

  /// Salt and body of each leaf behind a u32; not in every log, for these can be erased.
  public static String bodies(long index, int width) {
    return "bodies/" + number(index, width);
  }

  /// In groups of three digits, all but the last behind an `x`, so that no folder grows large.
  private static String number(long index, int width) {
    if (index < 0 || width < 1 || width > WIDTH) {
      throw new IllegalArgumentException("file " + index + " of " + width + " items");
    }
    StringBuilder path = new StringBuilder(String.format(Locale.ROOT, "%03d", index % DIGITS));
    for (long rest = index / DIGITS; rest > 0; rest /= DIGITS) {
      path.insert(0, String.format(Locale.ROOT, "x%03d/", rest % DIGITS));
    }
    return width == WIDTH ? path.toString() : path.append(".p/").append(width).toString();
  }
}
