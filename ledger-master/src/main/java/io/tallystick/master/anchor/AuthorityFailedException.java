package io.tallystick.master.anchor;

import io.tallystick.time.TokenRefusedException;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// A time authority that gave no usable token this time.
public final class AuthorityFailedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Stable names, used in health and metrics.
  public enum Reason {
    /// No connection, or it broke.
    UNREACHABLE,
    /// No whole answer within the timeout.
    SLOW,
    /// An answer with another status than 200.
    WRONG_STATUS,
    /// An answer that is no time-stamp reply.
    WRONG_CONTENT,
    /// An answer with more bytes than any good one.
    TOO_LONG,
    /// A token that does not hold; the cause says why.
    TOKEN_REFUSED,
    /// The token's time is more than 10 s from ours.
    SKEWED,
    /// Not asked: it failed too often just now.
    RESTING
  }

  private final Reason reason;
  private final String code;
  private final String authority;

  AuthorityFailedException(Reason reason, URI authority, String detail) {
    super(authority + ": " + reason + ": " + detail);
    this.reason = reason;
    this.code = lower(reason);
    this.authority = authority.getRawAuthority();
  }

  AuthorityFailedException(Reason reason, URI authority, Throwable cause) {
    super(authority + ": " + reason + ": " + cause, cause);
    this.reason = reason;
    this.code = lower(reason);
    this.authority = authority.getRawAuthority();
  }

  AuthorityFailedException(URI authority, TokenRefusedException cause) {
    super(authority + ": " + cause.getMessage(), cause);
    this.reason = Reason.TOKEN_REFUSED;
    this.code = lower(cause.reason());
    this.authority = authority.getRawAuthority();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /// Every code that a watch is told of, ascending.
  public static List<String> codes() {
    return Stream.concat(
            EnumSet.complementOf(EnumSet.of(Reason.TOKEN_REFUSED, Reason.RESTING)).stream(),
            Arrays.stream(TokenRefusedException.Reason.values()))
        .map(AuthorityFailedException::lower)
        .distinct()
        .sorted()
        .toList();
  }

  public Reason reason() {
    return reason;
  }

  /// Its host and port: what may be told to whoever asked for a time.
  public String host() {
    return authority.substring(authority.lastIndexOf('@') + 1);
  }

  /// The reason, or that of the refused token, in lower case: `slow`, `wrong_imprint`.
  public String code() {
    return code;
  }
}
