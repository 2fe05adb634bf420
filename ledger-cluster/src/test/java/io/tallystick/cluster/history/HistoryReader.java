package io.tallystick.cluster.history;

import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Digest;

/// A member that may only read. It goes on reading until it is closed, also when it was revoked.
public final class HistoryReader implements AutoCloseable {
  private static final long PAUSE_MILLIS = 20;
  private static final long END_MILLIS = 180_000;

  private final TallyClient client;
  private final LedgerHandle reading;
  private final LedgerHandle governor;
  private final Digest kid;
  private final History history;
  private final Thread thread;
  private volatile boolean turnedAway;
  private volatile boolean stopped;

  /// Starts at once.
  ///
  /// @param client the reader's, closed with this
  /// @param governor with the key of an owner
  HistoryReader(TallyClient client, ClientKey reader, LedgerHandle governor, History history)
      throws TallyException {
    this.client = client;
    this.reading = client.open(governor.id());
    this.governor = governor;
    this.kid = reader.kid();
    this.history = history;
    this.thread = Thread.ofPlatform().name("history-reader").daemon().start(this::work);
  }

  private void work() {
    try {
      while (!stopped) {
        turnedAway = history.readAs(kid, () -> reading.get(1));
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException _) {
      history.fault("a reader was interrupted");
    }
  }

  /// Has it revoked, which the history tells.
  public void revoke() {
    history.change(
        () -> {
          governor.revokeMember(kid);
          return span -> new Told.Revoked(span, kid);
        },
        span -> new Told.MayBeRevoked(span, kid));
  }

  /// Whether its newest question was refused since it is no member.
  public boolean isTurnedAway() {
    return turnedAway;
  }

  /// Lets it end its question. If it has no answer after three minutes, that is a fault.
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(END_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      history.fault("a reader waits for an answer");
      thread.interrupt();
    }
    client.close();
  }
}
