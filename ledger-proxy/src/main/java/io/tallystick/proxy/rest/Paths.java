package io.tallystick.proxy.rest;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the values that stand in a path or query as text. A ledger has one strand, so REST names
/// none.
final class Paths {
  static final String LEDGERS = "/v1/ledgers";
  static final String LEDGER = LEDGERS + "/{ledger}";

  /// A ledger itself and none of its actions, such as `:verify`.
  static final String ONE_LEDGER = LEDGERS + "/{ledger:[^:]*}";

  static final String JOURNALS = LEDGER + "/journals";

  private static final int FIRST_STRAND = 0;
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,18}");

  private Paths() {}

  static LedgerId ledger(String text) throws RequestRejectedException {
    return new LedgerId(JsonInput.digest("ledger", text));
  }

  static StrandId strand(String ledger) throws RequestRejectedException {
    return new StrandId(ledger(ledger), FIRST_STRAND);
  }

  /// A jsn, height or size: decimal, no sign, no leading zero.
  static long number(String name, String text) throws RequestRejectedException {
    if (NUMBER.matcher(text).matches()) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException _) {
        // beyond 2^63: as wrong as any other text
      }
    }
    throw new RequestRejectedException(
        RejectionCode.MALFORMED, name + " is no whole number from 0 to 2^63 - 1");
  }

  static long number(String name, @Nullable String text, long absent)
      throws RequestRejectedException {
    return text == null ? absent : number(name, text);
  }

  /// `true` or `false`; absent: false.
  static boolean flag(String name, @Nullable String text) throws RequestRejectedException {
    if (text == null || text.equals("false")) {
      return false;
    }
    if (!text.equals("true")) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, name + " is neither true nor false");
    }
    return true;
  }

  static String journal(LedgerId ledger, long jsn) {
    return LEDGERS + "/" + ledger.hex() + "/journals/" + jsn;
  }
}
