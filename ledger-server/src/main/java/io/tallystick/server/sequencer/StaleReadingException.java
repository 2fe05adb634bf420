package io.tallystick.server.sequencer;

/// What is known of a key does not reach up to the blocks that the sequencer remembers: it is to be
/// read again.
final class StaleReadingException extends Exception {
  private static final long serialVersionUID = 1;

  StaleReadingException() {
    super("read it again", null, false, false);
  }
}
