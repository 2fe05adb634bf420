package io.tallystick.server.world;

import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Locale;
import java.util.Optional;

/// The newest time journal of a strand. That the head it names was sealed, and which leaf hash
/// `previous` has, is checked by whoever makes the request: both never change.
///
/// @param size of the head it is about; above the jsn of any time journal before it
public record NewestTime(long jsn, long size) {
  /// A block of one time journal and its seal.
  private static final int ALONE_LEAVES = 2;

  /// Whether nothing but seals and time journals lies above the head, in a strand of `newSize`
  /// leaves. A block has a journal besides its seal, and no time journal but this one lies above
  /// the head: so it then stands alone in the only block there.
  public boolean coversAll(long newSize) {
    return newSize == size + ALONE_LEAVES;
  }

  /// After a time journal at `jsn`. A leaf is not before the request's clientTime, which with its
  /// expiry says how far from the proof's time the leaf may be.
  ///
  /// @param before the newest one until then
  /// @param timeMs of the leaf
  /// @throws RequestRejectedException `TOO_EARLY`; `OUT_OF_RANGE` unless the head is below this
  ///   journal and above the one before; `PRECONDITION_FAILED` unless `previous` is the one before
  static NewestTime after(
      Optional<NewestTime> before, RequestHeader header, Extension.Time time, long jsn, long timeMs)
      throws RequestRejectedException {
    if (timeMs < header.clientTimeMs()) {
      throw new RequestRejectedException(
              RejectionCode.TOO_EARLY,
              String.format(
                  Locale.ROOT,
                  "the journal's time is %s, its proof allows %s to %s",
                  Printable.time(timeMs),
                  Printable.time(header.clientTimeMs()),
                  Printable.time(header.expiresMs())))
          .withLimit(header.clientTimeMs());
    }
    long size = time.size().value();
    long above = before.map(NewestTime::jsn).orElse(1L);
    if (size <= above || size > jsn) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              String.format(
                  Locale.ROOT,
                  "time of size %d at jsn %d, want %d to %d",
                  size,
                  jsn,
                  above + 1,
                  jsn))
          .withLimit(jsn);
    }
    Optional<Long> named = time.previous().map(previous -> previous.jsn().value());
    if (!named.equals(before.map(NewestTime::jsn))) {
      throw new RequestRejectedException(
          RejectionCode.PRECONDITION_FAILED,
          String.format(
              Locale.ROOT,
              "previous is %s, the newest time journal is %s",
              told(named),
              told(before.map(NewestTime::jsn))));
    }
    return new NewestTime(jsn, size);
  }

  private static String told(Optional<Long> jsn) {
    return jsn.map(at -> "at " + at).orElse("none");
  }
}
