package io.tallystick.proxy.operate;

import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Backups;
import io.tallystick.node.KeptState;
import io.tallystick.node.StatePruning;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lines between operator and service, words with one space between them. No stored format:
/// both ends are of one build.
///
/// ```
///  request  states | prune LEDGER HEIGHT | keep LEDGER VERSIONS|- BYTES|-
///           | backup PATH (in hexadecimal) | writable LEDGER
///  answer   state LEDGER NEWEST OLDEST VERSIONS BYTES MOST-VERSIONS MOST-BYTES,
///               any number of them, and then: done
///           or: at BYTES ALL, any number of them, and then
///               head LEDGER SIZE BLOCKS ROOT witnessed|plain NAME, any number of them,
///               taken BYTES FRAMES DAMAGED, done
///           or: lifted true|false, done
///           or: refused CODE LIMIT|- DETAIL
///           or: failed DETAIL, done
/// ```
final class OperatorWords {
  static final String STATES = "states";
  static final String PRUNE = "prune";
  static final String KEEP = "keep";
  static final String DONE = "done";
  static final String BACKUP = "backup";
  static final String WRITABLE = "writable";
  private static final String LIFTED = "lifted";
  private static final String AT = "at";
  private static final String HEAD = "head";
  private static final String TAKEN = "taken";
  private static final String FAILED = "failed";
  private static final String WITNESSED = "witnessed";
  private static final String PLAIN = "plain";
  private static final String STATE = "state";
  private static final String REFUSED = "refused";
  private static final String NOTHING = "-";
  private static final Pattern LEDGER = Pattern.compile("[0-9a-f]{64}");

  private OperatorWords() {}

  static String prune(LedgerId ledger, StatePruning pruning) {
    return switch (pruning) {
      case StatePruning.Below(long height) ->
          String.format(Locale.ROOT, "%s %s %d", PRUNE, ledger, height);
      case StatePruning.Beyond(OptionalInt versions, OptionalLong bytes) ->
          String.format(
              Locale.ROOT,
              "%s %s %s %s",
              KEEP,
              ledger,
              versions.isPresent() ? Integer.toString(versions.getAsInt()) : NOTHING,
              bytes.isPresent() ? Long.toString(bytes.getAsLong()) : NOTHING);
    };
  }

  /// @param versions and `bytes` as words
  static StatePruning beyond(String versions, String bytes) throws MalformedException {
    return new StatePruning.Beyond(
        versions.equals(NOTHING) ? OptionalInt.empty() : OptionalInt.of(count(versions)),
        bytes.equals(NOTHING) ? OptionalLong.empty() : OptionalLong.of(number(bytes)));
  }

  private static int count(String word) throws MalformedException {
    long number = number(word);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new MalformedException("no number of versions: " + word);
    }
    return (int) number;
  }

  static String backup(Path directory) {
    byte[] path = directory.toString().getBytes(StandardCharsets.UTF_8);
    return BACKUP + " " + HexFormat.of().formatHex(path);
  }

  static String writable(LedgerId ledger) {
    return WRITABLE + " " + ledger;
  }

  static String lifted(boolean any) {
    return LIFTED + " " + any;
  }

  /// Reads the line that answers {@link #writable}.
  ///
  /// @throws RequestRejectedException if it says that the service refused
  static boolean isLifted(String line) throws MalformedException, RequestRejectedException {
    if (line.startsWith(REFUSED + " ")) {
      throw refusal(line);
    }
    if (line.equals(lifted(true)) || line.equals(lifted(false))) {
      return line.equals(lifted(true));
    }
    throw new MalformedException("no answer of this version: " + line);
  }

  static Path path(String word) throws MalformedException {
    try {
      return Path.of(new String(HexFormat.of().parseHex(word), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("no path: " + word, e);
    }
  }

  static String at(long bytes, long all) {
    return String.format(Locale.ROOT, "%s %d %d", AT, bytes, all);
  }

  static String head(Backups.Head head) {
    return String.format(
        Locale.ROOT,
        "%s %s %d %d %s %s %s",
        HEAD,
        head.ledger(),
        head.size(),
        head.blocks(),
        head.root(),
        head.witnessed() ? WITNESSED : PLAIN,
        head.name());
  }

  static String taken(Backups.Taken taken) {
    return String.format(
        Locale.ROOT, "%s %d %d %d", TAKEN, taken.bytes(), taken.nextFrame(), taken.damagedFrames());
  }

  static String failed(IOException failure) {
    return FAILED + " " + String.valueOf(failure.getMessage()).replace('\n', ' ');
  }

  /// The lines that answer a backup, one after the other.
  static final class BackupAnswer {
    private final Backups.Progress progress;
    private final List<Backups.Head> heads = new ArrayList<>();
    private Backups.@Nullable Taken taken;

    BackupAnswer(Backups.Progress progress) {
      this.progress = progress;
    }

    /// A line but the last.
    ///
    /// @throws IOException if it says that the backup failed
    /// @throws RequestRejectedException if it says that the service refused
    void line(String line) throws IOException, MalformedException, RequestRejectedException {
      String[] words = line.split(" ", 7);
      if (line.startsWith(REFUSED + " ")) {
        throw refusal(line);
      } else if (line.startsWith(FAILED + " ")) {
        throw new IOException(line.substring(FAILED.length() + 1));
      } else if (words.length == 3 && words[0].equals(AT)) {
        progress.isAt(number(words[1]), number(words[2]));
      } else if (words.length == 7 && words[0].equals(HEAD)) {
        heads.add(
            new Backups.Head(
                ledger(words[1]),
                number(words[2]),
                number(words[3]),
                ledger(words[4]).digest(),
                words[5].equals(WITNESSED),
                words[6]));
      } else if (words.length == 4 && words[0].equals(TAKEN)) {
        taken =
            new Backups.Taken(
                number(words[1]), number(words[2]), Math.toIntExact(number(words[3])), heads);
      } else {
        throw new MalformedException("no answer of this version: " + line);
      }
    }

    /// After the last line.
    Backups.Taken taken() throws MalformedException {
      if (taken == null) {
        throw new MalformedException("the service did not say what it took");
      }
      return taken;
    }
  }

  static LedgerId ledger(String word) throws MalformedException {
    if (!LEDGER.matcher(word).matches()) {
      throw new MalformedException("no ledger id: " + word);
    }
    return LedgerId.fromHex(word);
  }

  static long number(String word) throws MalformedException {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw new MalformedException("no number: " + word, e);
    }
  }

  static String state(KeptState kept) {
    return String.format(
        Locale.ROOT,
        "%s %s %d %d %d %d %d %d",
        STATE,
        kept.ledger(),
        kept.newestHeight(),
        kept.oldestHeight(),
        kept.olderVersions(),
        kept.olderBytes(),
        kept.versionsMax(),
        kept.bytesMax());
  }

  static String refused(RejectionCode code, OptionalLong limit, String detail) {
    String number = limit.isPresent() ? Long.toString(limit.getAsLong()) : NOTHING;
    return String.format(
        Locale.ROOT, "%s %s %s %s", REFUSED, code.wire(), number, detail.replace('\n', ' '));
  }

  /// Reads a line that is not the last.
  ///
  /// @throws RequestRejectedException if it says that the service refused
  static KeptState answered(String line) throws MalformedException, RequestRejectedException {
    if (line.startsWith(REFUSED + " ")) {
      throw refusal(line);
    }
    String[] words = line.split(" ", -1);
    if (words.length != 8 || !words[0].equals(STATE)) {
      throw new MalformedException("no answer of this version: " + line);
    }
    return new KeptState(
        ledger(words[1]),
        number(words[2]),
        number(words[3]),
        count(words[4]),
        number(words[5]),
        count(words[6]),
        number(words[7]));
  }

  private static RequestRejectedException refusal(String line) throws MalformedException {
    String[] words = line.split(" ", 4);
    if (words.length != 4) {
      throw new MalformedException("no refusal of this version: " + line);
    }
    try {
      RejectionCode code = RejectionCode.valueOf(words[1].toUpperCase(Locale.ROOT));
      RequestRejectedException refusal = new RequestRejectedException(code, words[3]);
      return words[2].equals(NOTHING) ? refusal : refusal.withLimit(number(words[2]));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("no code of this version: " + words[1], e);
    }
  }
}
