package io.tallystick.model;

import java.util.regex.Pattern;

/// The public name of a service, `host[:port]` in lower case: 1 to 128 ASCII characters, so that an
/// origin built from it is a legal name of a note key. Source: `docs/formats/ledger.md`.
public record Authority(String value) {
  public static final int LENGTH_MAX = 128;

  private static final Pattern SYNTAX =
      Pattern.compile("[a-z0-9]+(-+[a-z0-9]+)*(\\.[a-z0-9]+(-+[a-z0-9]+)*)*(:[1-9][0-9]{0,4})?");
  private static final int PORT_MAX = 65_535;

  public Authority {
    if (value.length() > LENGTH_MAX) {
      throw new IllegalArgumentException(
          "authority of " + value.length() + " characters, at most " + LENGTH_MAX);
    }
    if (!SYNTAX.matcher(value).matches() || port(value) > PORT_MAX) {
      throw new IllegalArgumentException("authority is not a lower-case host[:port]");
    }
  }

  /// @throws MalformedException if an unverified `value` is not an authority
  public static Authority parse(String value) throws MalformedException {
    try {
      return new Authority(value);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }

  /// The name of one strand's log: authority "/l/" hex(ledgerId) "/" strand. It is the first line
  /// of every checkpoint and the name of the note key.
  public String origin(StrandId strand) {
    return value + "/l/" + strand.ledger().hex() + "/" + strand.strand();
  }

  private static int port(String value) {
    int colon = value.indexOf(':');
    return colon < 0 ? 0 : Integer.parseInt(value, colon + 1, value.length(), 10);
  }

  @Override
  public String toString() {
    return value;
  }
}
