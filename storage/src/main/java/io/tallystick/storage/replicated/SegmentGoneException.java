package io.tallystick.storage.replicated;

import java.io.IOException;

/// A segment is not listed, or not any more. Carries that fact out of a source of bytes, to whoever
/// knows what was read.
final class SegmentGoneException extends IOException {
  private static final long serialVersionUID = 1;

  SegmentGoneException(String message) {
    super(message);
  }
}
