package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Erasure;
import java.util.Locale;

/// A journal or a body that was asked for and is not there any more, and what shows why.
final class JournalRemovedException extends Exception {
  private static final long serialVersionUID = 1;

  private final RequestRejectedException refusal;
  private final transient Erasure erasure;

  private JournalRemovedException(RequestRejectedException refusal, Erasure erasure) {
    super(refusal);
    this.refusal = refusal;
    this.erasure = erasure;
  }

  /// The body alone was removed.
  ///
  /// @param jsn of the journal that was asked for
  static JournalRemovedException erased(long jsn, Erasure erasure) {
    String detail =
        String.format(
            Locale.ROOT, "the body of journal %d was erased by journal %d", jsn, erasure.removal());
    return new JournalRemovedException(
        new RequestRejectedException(RejectionCode.ERASED, detail).atJsn(erasure.removal()),
        erasure);
  }

  /// All of the journal was removed.
  ///
  /// @param refusal `PURGED`
  static JournalRemovedException purged(RequestRejectedException refusal, Erasure erasure) {
    return new JournalRemovedException(refusal, erasure);
  }

  RequestRejectedException refusal() {
    return refusal;
  }

  Erasure erasure() {
    return erasure;
  }
}
