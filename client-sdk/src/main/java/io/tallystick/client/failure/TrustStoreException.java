package io.tallystick.client.failure;

/// The trust store on disk cannot be read or written, or what it holds is not what was written.
/// Never healed by itself: a forgotten head is how a rollback would go unseen.
public final class TrustStoreException extends TallyException {
  private static final long serialVersionUID = 1;

  public TrustStoreException(String message) {
    super(message);
  }

  public TrustStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
