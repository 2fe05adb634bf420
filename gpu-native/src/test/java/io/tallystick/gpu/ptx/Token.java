package io.tallystick.gpu.ptx;

/// A word, number, string or single sign of a PTX text.
///
/// @param line from 1
/// @param text as written; a string without its quotes
record Token(Kind kind, int line, String text) {
  enum Kind {
    WORD,
    NUMBER,
    STRING,
    SIGN,
    END
  }
}
