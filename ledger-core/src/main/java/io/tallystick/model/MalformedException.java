package io.tallystick.model;

/// Bytes from a stranger that are not the one encoding the format allows. Where they came from
/// decides what becomes of it: the edge turns it into a {@link RequestRejectedException}, a
/// verifier into a {@link ProofRejectedException}.
public final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  public MalformedException(String message) {
    super(message);
  }

  public MalformedException(String message, Throwable cause) {
    super(message, cause);
  }
}
