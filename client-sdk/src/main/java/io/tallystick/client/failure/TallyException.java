package io.tallystick.client.failure;

/// Why a call to a ledger gave no result. Checked and closed: the kinds want different answers (fix
/// the request, raise the alarm, try later, mend the directory), so a caller can `switch` over
/// them.
public abstract sealed class TallyException extends Exception
    permits RequestRefusedException,
        VerificationException,
        HeadNotWitnessedException,
        StaleHeadException,
        ServiceUnavailableException,
        TrustStoreException,
        LineageTooLongException,
        ValueUnavailableException {
  private static final long serialVersionUID = 1;

  TallyException(String message) {
    super(message);
  }

  TallyException(String message, Throwable cause) {
    super(message, cause);
  }
}
