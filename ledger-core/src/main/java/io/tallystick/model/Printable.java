package io.tallystick.model;

import java.util.regex.Pattern;

/// Unverified text, made safe to print: characters that control a terminal, hide or reorder text
/// become U+FFFD.
public final class Printable {
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  public static String of(String text) {
    return UNSAFE.matcher(text).replaceAll("\uFFFD");
  }

  /// Whether {@link #of} would leave it as it is.
  public static boolean is(String text) {
    return !UNSAFE.matcher(text).find();
  }
}
