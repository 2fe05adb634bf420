package io.tallystick.model;

/// Unverified bytes that are not the one encoding of the format. The caller decides by their
/// source: the edge turns it into a {@link RequestRejectedException}, a verifier into a {@link
/// ProofRejectedException}.
public final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  public MalformedException(String message) {
    super(message);
  }

  public MalformedException(String message, Throwable cause) {
    super(message, cause);
  }
}
