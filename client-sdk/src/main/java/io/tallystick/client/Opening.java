package io.tallystick.client;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A ledger that is opened when it is first needed. An attempt that fails is told to all who needed
/// it meanwhile, and the next need is another attempt. Thread-safe.
final class Opening {
  /// Pins the ledger.
  @FunctionalInterface
  interface Opener {
    OpenLedger open() throws TallyException;
  }

  private final Opener opener;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable OpenLedger opened;
  private volatile @Nullable TallyException failed; // of the last attempt
  private volatile @Nullable VerificationException refused;

  private Opening(Opener opener, @Nullable OpenLedger opened) {
    this.opener = opener;
    this.opened = opened;
  }

  static Opening later(Opener opener) {
    return new Opening(opener, null);
  }

  static Opening done(OpenLedger opened) {
    return new Opening(() -> opened, opened);
  }

  OpenLedger get() throws TallyException {
    OpenLedger now = opened;
    if (now != null) {
      return now;
    }
    TallyException before = failed;
    lock.lock();
    try {
      now = opened;
      TallyException meanwhile = failed;
      if (now == null && meanwhile != null && meanwhile != before) {
        // Attempts one after the other would let the last of many callers wait for all of them.
        throw meanwhile;
      }
      return now == null ? attempt() : now;
    } finally {
      lock.unlock();
    }
  }

  private OpenLedger attempt() throws TallyException {
    try {
      OpenLedger now = opener.open();
      opened = now;
      return now;
    } catch (TallyException e) {
      failed = e;
      if (refused == null && e instanceof VerificationException evidence) {
        refused = evidence;
      }
      throw e;
    }
  }

  /// Empty before the first attempt that succeeded.
  Optional<OpenLedger> now() {
    return Optional.ofNullable(opened);
  }

  /// The first evidence that failed, be it at an attempt to open the ledger or since.
  Optional<VerificationException> alarm() {
    return Optional.ofNullable(refused).or(() -> now().flatMap(it -> it.log().alarm()));
  }
}
