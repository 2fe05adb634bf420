package io.tallystick.gpu.ptx;

import java.util.ArrayList;
import java.util.List;

/// The tokens of a PTX text, read from front to back.
final class Tokens {
  private static final String SIGNS = "{}()[],;:+-|@!<>=";

  private final List<Token> tokens = new ArrayList<>();
  private int next;

  Tokens(String text) {
    int line = 1;
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      int end = at + 1;
      if (c == '\n') {
        line++;
      } else if (text.startsWith("//", at)) {
        end = endOf(text, "\n", at, line);
      } else if (c == '"') {
        end = endOf(text, "\"", at + 1, line) + 1;
        tokens.add(new Token(Token.Kind.STRING, line, text.substring(at + 1, end - 1)));
      } else if (isWordPart(c)) {
        while (end < text.length() && isWordPart(text.charAt(end))) {
          end++;
        }
        Token.Kind kind = Character.isDigit(c) ? Token.Kind.NUMBER : Token.Kind.WORD;
        tokens.add(new Token(kind, line, text.substring(at, end)));
      } else if (SIGNS.indexOf(c) >= 0) {
        tokens.add(new Token(Token.Kind.SIGN, line, String.valueOf(c)));
      } else if (!Character.isWhitespace(c)) {
        throw new PtxSyntaxException(line, "unknown character '" + c + "'");
      }
      at = end;
    }
    tokens.add(new Token(Token.Kind.END, line, "end of file"));
  }

  private static int endOf(String text, String mark, int from, int line) {
    int end = text.indexOf(mark, from);
    if (end < 0) {
      throw new PtxSyntaxException(line, "no end of a comment or string");
    }
    return end;
  }

  private static boolean isWordPart(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '$'
        || c == '%'
        || c == '.';
  }

  int line() {
    return peek().line();
  }

  Token peek() {
    return tokens.get(next);
  }

  boolean atEnd() {
    return peek().kind() == Token.Kind.END;
  }

  boolean isAt(String text) {
    return peek().kind() != Token.Kind.STRING && peek().text().equals(text);
  }

  /// Whether the token after the next one is `text`.
  boolean isFollowedBy(String text) {
    return next + 1 < tokens.size() && tokens.get(next + 1).text().equals(text);
  }

  Token take() {
    Token token = peek();
    if (token.kind() != Token.Kind.END) {
      next++;
    }
    return token;
  }

  boolean accept(String text) {
    boolean found = isAt(text);
    if (found) {
      next++;
    }
    return found;
  }

  void expect(String text) {
    if (!accept(text)) {
      throw fail("found '" + peek().text() + "', want '" + text + "'");
    }
  }

  String word() {
    Token token = peek();
    if (token.kind() != Token.Kind.WORD) {
      throw fail("found '" + token.text() + "', want a name");
    }
    return take().text();
  }

  /// An integer: decimal or hexadecimal, with an optional minus sign.
  long integer() {
    boolean negative = accept("-");
    Token token = peek();
    if (token.kind() != Token.Kind.NUMBER) {
      throw fail("found '" + token.text() + "', want an integer");
    }
    String digits = token.text().endsWith("U") ? token.text().replace("U", "") : token.text();
    try {
      long value =
          digits.startsWith("0x")
              ? Long.parseUnsignedLong(digits.substring(2), 16)
              : Long.parseUnsignedLong(digits);
      next++;
      return negative ? -value : value;
    } catch (NumberFormatException notInteger) {
      throw fail("'" + token.text() + "' is no integer");
    }
  }

  PtxSyntaxException fail(String message) {
    return new PtxSyntaxException(line(), message);
  }
}
