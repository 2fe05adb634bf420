package io.tallystick.gpu.ptx;

/// A PTX text that the interpreter does not know how to read. The message begins with the line.
public final class PtxSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;

  PtxSyntaxException(int line, String message) {
    super("line " + line + ": " + message);
    this.line = line;
  }

  /// The line of the PTX, from 1.
  public int line() {
    return line;
  }
}
