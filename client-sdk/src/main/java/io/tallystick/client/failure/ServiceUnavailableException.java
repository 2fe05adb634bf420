package io.tallystick.client.failure;

/// The service could not be reached, or gave no answer in time, as often as the retry policy
/// allows.
public final class ServiceUnavailableException extends TallyException {
  private static final long serialVersionUID = 1;

  private final boolean outcomeUnknown;

  public ServiceUnavailableException(String message, boolean outcomeUnknown) {
    super(message);
    this.outcomeUnknown = outcomeUnknown;
  }

  public ServiceUnavailableException(String message, boolean outcomeUnknown, Throwable cause) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  /// Whether the request was sent and may stand in the ledger. A new request would be a second
  /// journal: look the old one up first, or wait until it has expired.
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
