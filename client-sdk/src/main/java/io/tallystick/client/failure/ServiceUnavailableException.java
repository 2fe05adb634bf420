package io.tallystick.client.failure;

import io.tallystick.model.Bytes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The service could not be reached, or gave no answer in time, as often as the retry policy
/// allows.
public final class ServiceUnavailableException extends TallyException {
  private static final long serialVersionUID = 1;

  private final boolean outcomeUnknown;
  private final transient @Nullable Bytes pending;

  public ServiceUnavailableException(String message, boolean outcomeUnknown) {
    super(message);
    this.outcomeUnknown = outcomeUnknown;
    this.pending = null;
  }

  public ServiceUnavailableException(String message, boolean outcomeUnknown, Throwable cause) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
    this.pending = null;
  }

  private ServiceUnavailableException(ServiceUnavailableException bare, Bytes pending) {
    super(String.valueOf(bare.getMessage()), bare);
    this.outcomeUnknown = true;
    this.pending = pending;
  }

  /// The same of an unknown outcome, with what was sent.
  ///
  /// @param sent an encoded `PendingRequest`
  public ServiceUnavailableException withPending(Bytes sent) {
    return new ServiceUnavailableException(this, sent);
  }

  /// Whether the request was sent and may stand in the ledger. A new request would be a second
  /// journal: send {@link #pending} again.
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }

  /// The request that was signed and sent, encoded, for `TallyClient.resend`. Empty if the outcome
  /// is known, and for a call that changes nothing when it is repeated: make it again.
  public Optional<Bytes> pending() {
    return Optional.ofNullable(pending);
  }
}
