package io.tallystick.cli;

import java.util.regex.Pattern;

/// Text that strangers wrote, made safe to show: what could steer a terminal, hide or reorder text
/// becomes U+FFFD.
final class Printable {
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  static String of(String text) {
    return UNSAFE.matcher(text).replaceAll("\uFFFD");
  }
}
