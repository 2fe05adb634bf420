package io.tallystick.cluster.book;

import io.tallystick.storage.replicated.LogFencedException;
import io.tallystick.storage.replicated.NoSuchLogException;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.bookkeeper.client.BKException;

/// BookKeeper's failures as those of the replicated logs. Codes: `BKException.Code`.
final class BookFailures {
  private BookFailures() {}

  /// @param doing what failed, for the message
  static IOException of(String doing, Throwable failure) {
    Throwable cause = failure instanceof ExecutionException wrapped ? causeOf(wrapped) : failure;
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(doing + ": interrupted");
      interrupted.initCause(cause);
      return interrupted;
    }
    return cause instanceof BKException known
        ? of(doing, known)
        : new IOException(doing + ": " + cause, cause);
  }

  private static Throwable causeOf(ExecutionException wrapped) {
    Throwable cause = wrapped.getCause();
    return cause == null ? wrapped : cause;
  }

  private static IOException of(String doing, BKException failure) {
    String told =
        String.format(Locale.ROOT, "%s: %s", doing, BKException.getMessage(failure.getCode()));
    return switch (failure.getCode()) {
      case BKException.Code.LedgerFencedException, BKException.Code.MetadataVersionException ->
          new LogFencedException(told, failure);
      case BKException.Code.NoSuchLedgerExistsException,
          BKException.Code.NoSuchLedgerExistsOnMetadataServerException ->
          new NoSuchLogException(told, failure);
      case BKException.Code.NotEnoughBookiesException,
          BKException.Code.AddEntryQuorumTimeoutException,
          BKException.Code.LedgerRecoveryException,
          BKException.Code.BookieHandleNotAvailableException,
          BKException.Code.ReadException,
          BKException.Code.TimeoutException,
          BKException.Code.WriteOnReadOnlyBookieException ->
          new QuorumUnavailableException(told, failure);
      default -> new IOException(told, failure);
    };
  }
}
