package io.tallystick.model;

import java.util.regex.Pattern;

/// Text that strangers wrote, made safe to show: what could steer a terminal, hide or reorder text
/// becomes U+FFFD.
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
