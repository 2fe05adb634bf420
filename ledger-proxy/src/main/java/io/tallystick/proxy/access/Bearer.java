package io.tallystick.proxy.access;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.MemberToken;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The token that a call brought to show that it may read, or nothing. An authorization of another
/// scheme is nothing: it is for a proxy in front. Source: RFC 6750 section 2.1.
///
/// @param token as sent, unverified; null if the call brought none
public record Bearer(@Nullable String token) {
  public static final Bearer NONE = new Bearer(null);

  /// Beyond what any token of ours needs.
  static final int TOKEN_CHARS_MAX = 4096;

  private static final String SCHEME = "Bearer";
  private static final String SIGNS = "-._~+/=";

  /// @param authorization the value of the header or metadata of that name; null if there is none
  /// @throws RequestRejectedException `TOKEN_INVALID` for what is no token
  public static Bearer of(@Nullable String authorization) throws RequestRejectedException {
    if (authorization == null || !isBearer(authorization)) {
      return NONE;
    }
    String token = authorization.substring(SCHEME.length()).strip();
    if (token.length() > TOKEN_CHARS_MAX) {
      throw invalid("token of " + token.length() + " characters, at most " + TOKEN_CHARS_MAX);
    }
    if (!isToken(token)) {
      throw invalid("there is no token behind Bearer");
    }
    return new Bearer(token);
  }

  /// The same for a node.
  public Optional<MemberToken> ofMember() {
    return Optional.ofNullable(token).map(MemberToken::new);
  }

  private static boolean isBearer(String authorization) {
    int end = SCHEME.length();
    return authorization.regionMatches(true, 0, SCHEME, 0, end)
        && (authorization.length() == end || authorization.charAt(end) == ' ');
  }

  /// Asked for every call, so by hand.
  private static boolean isToken(String token) {
    for (int i = 0; i < token.length(); i++) {
      char one = token.charAt(i);
      char letter = (char) (one | 0x20);
      boolean allowed =
          (letter >= 'a' && letter <= 'z') || (one >= '0' && one <= '9') || SIGNS.indexOf(one) >= 0;
      if (!allowed) {
        return false;
      }
    }
    return !token.isEmpty();
  }

  private static RequestRejectedException invalid(String detail) {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, detail);
  }

  /// Without the token: it would still open doors to whoever reads a log.
  @Override
  public String toString() {
    return token == null ? "Bearer[none]" : "Bearer[given]";
  }
}
