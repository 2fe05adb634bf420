package io.tallystick.server.sequencer;

/// A reading of a key does not reach up to the blocks that the sequencer remembers: it is to be
/// made again.
final class StaleReadingException extends Exception {
  private static final long serialVersionUID = 1;

  StaleReadingException() {
    super("read it again", null, false, false);
  }
}
