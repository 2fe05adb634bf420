package io.tallystick.proxy.access;

import io.tallystick.crypto.Sha256;
import io.tallystick.master.tledger.SubmitterRule;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Who may submit heads to the T-Ledger by the operator's list: ledgers that it names, so many with
/// an invitation, and so many others an hour. Each ledger may then enter a head a second; all that
/// neither the list names nor an invitation, together sixty an hour for each ledger that may begin
/// in one. So what strangers can make the T-Ledger grow by is bounded. Thread-safe. Source:
/// `docs/operations.md`, "A T-Ledger".
public final class ListedSubmitters implements SubmitterRule {
  /// Heads of one ledger: so many a second, and so many at once.
  private static final HeadBudget.Rate OF_ONE = new HeadBudget.Rate(1, TimeUnit.SECONDS, 60);

  /// Heads of the ledgers that are not named, for each that may begin in an hour.
  static final int HEADS_OF_ANYBODY = 60;

  private final Supplier<SubmittersFile> list;
  private final Places places;
  private final LongSupplier timeMs;
  private final HeadBudget ofOne = new HeadBudget(OF_ONE);
  private @Nullable HeadBudget ofAnybody;
  private int anybodyNow;

  private ListedSubmitters(Supplier<SubmittersFile> list, Places places, LongSupplier timeMs) {
    this.list = list;
    this.places = places;
    this.timeMs = timeMs;
  }

  /// @param file null: nobody may submit
  /// @param kept where it is kept who took a place, so that a restart does not free it
  /// @throws IOException if a file cannot be read; the message names it and the line
  public static ListedSubmitters of(@Nullable Path file, Path kept, LongSupplier timeMs)
      throws IOException {
    Places places = Places.read(kept);
    if (file == null) {
      return new ListedSubmitters(() -> SubmittersFile.NOBODY, places, timeMs);
    }
    return new ListedSubmitters(
        new RereadFile<>(file, SubmittersFile::read)::current, places, timeMs);
  }

  @Override
  public Place admit(LedgerId ledger, Caller caller, boolean known)
      throws RequestRejectedException {
    SubmittersFile now = list.get();
    if (now.ledgers().contains(ledger)) {
      return () -> ofOne.take(ledger, ledger.toString());
    }
    if (!caller.invitation().isEmpty()) {
      Digest invitation = Sha256.hash(Bytes.utf8(caller.invitation()).toArray());
      Optional<Integer> count = Optional.ofNullable(now.invitations().get(invitation));
      if (count.isEmpty()) {
        throw notAllowed("this T-Ledger knows no such invitation");
      }
      places.check(ledger, invitation, count.get());
      return () -> {
        places.take(ledger, invitation, count.get());
        ofOne.take(ledger, ledger.toString());
      };
    }
    if (now.anybody() == 0) {
      throw notAllowed(
          "ledger " + ledger + " is not on this T-Ledger's list, and there is no invitation");
    }
    if (!known) {
      places.check(ledger, caller.address(), now.anybody(), timeMs.getAsLong());
    }
    return () -> {
      if (!known) {
        places.take(ledger, caller.address(), now.anybody(), timeMs.getAsLong());
      }
      ofAnybody(now.anybody()).take("", "ledgers that are not on the list");
      ofOne.take(ledger, ledger.toString());
    };
  }

  private synchronized HeadBudget ofAnybody(int anybody) {
    HeadBudget now = ofAnybody;
    if (now == null || anybodyNow != anybody) {
      int heads = anybody * HEADS_OF_ANYBODY;
      now = new HeadBudget(new HeadBudget.Rate(heads, TimeUnit.HOURS, heads));
      ofAnybody = now;
      anybodyNow = anybody;
    }
    return now;
  }

  private static RequestRejectedException notAllowed(String detail) {
    return new RequestRejectedException(RejectionCode.SUBMITTER_NOT_ALLOWED, detail);
  }

  /// `RATE_LIMITED`.
  static RequestRejectedException full(long limit, String detail) {
    return new RequestRejectedException(RejectionCode.RATE_LIMITED, detail).withLimit(limit);
  }
}
