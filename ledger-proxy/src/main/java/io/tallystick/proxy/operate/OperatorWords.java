package io.tallystick.proxy.operate;

import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// The lines between operator and service, words with one space between them. No stored format:
/// both ends are of one build.
///
/// ```
///  request  states | prune LEDGER HEIGHT
///  answer   state LEDGER NEWEST OLDEST VERSIONS BYTES, any number of them, and then: done
///           or: refused CODE LIMIT|- DETAIL
/// ```
final class OperatorWords {
  static final String STATES = "states";
  static final String PRUNE = "prune";
  static final String DONE = "done";
  private static final String STATE = "state";
  private static final String REFUSED = "refused";
  private static final String NOTHING = "-";
  private static final Pattern LEDGER = Pattern.compile("[0-9a-f]{64}");

  private OperatorWords() {}

  static String prune(LedgerId ledger, long height) {
    return "%s %s %d".formatted(PRUNE, ledger, height);
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
    return "%s %s %d %d %d %d"
        .formatted(
            STATE,
            kept.ledger(),
            kept.newestHeight(),
            kept.oldestHeight(),
            kept.olderVersions(),
            kept.olderBytes());
  }

  static String refused(RejectionCode code, OptionalLong limit, String detail) {
    String number = limit.isPresent() ? Long.toString(limit.getAsLong()) : NOTHING;
    return "%s %s %s %s".formatted(REFUSED, code.wire(), number, detail.replace('\n', ' '));
  }

  /// What a line but the last says.
  ///
  /// @throws RequestRejectedException if it says that the service refused
  static KeptState answered(String line) throws MalformedException, RequestRejectedException {
    if (line.startsWith(REFUSED + " ")) {
      throw refusal(line);
    }
    String[] words = line.split(" ", -1);
    if (words.length != 6 || !words[0].equals(STATE)) {
      throw new MalformedException("no answer of this version: " + line);
    }
    return new KeptState(
        ledger(words[1]),
        number(words[2]),
        number(words[3]),
        Math.toIntExact(number(words[4])),
        number(words[5]));
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
