package io.tallystick.gpu.ptx;

/// A launch that was stopped. The message names kernel, block, thread and line of the PTX.
public final class KernelFaultException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Fault fault;
  private final int line;

  KernelFaultException(Fault fault, int line, String message) {
    super(message);
    this.fault = fault;
    this.line = line;
  }

  public Fault fault() {
    return fault;
  }

  /// The line of the PTX, from 1.
  public int line() {
    return line;
  }
}
