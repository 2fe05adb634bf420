package io.tallystick.master.anchor;

import java.time.Duration;

/// A thread of its own that goes its rounds: at a steady pace, and after failures ever slower, up
/// to five seconds.
public final class Rounds implements AutoCloseable {
  private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

  private final Duration look;
  private final Round round;
  private final Thread thread;

  /// The work of one round. An exception beside an interruption ends the rounds for good.
  @FunctionalInterface
  public interface Round {
    /// @return whether all went well; if not, the next round waits longer
    boolean go() throws InterruptedException;
  }

  /// @param look the pause between rounds that go well
  public Rounds(String name, Duration look, Round round) {
    this.look = look;
    this.round = round;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    Duration pause = look;
    try {
      while (true) {
        Thread.sleep(pause);
        pause = round.go() ? look : longer(pause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : twice;
  }

  /// Begins to end them: what a round waits for may be closed next.
  public void interrupt() {
    thread.interrupt();
  }

  /// Returns once the last round has ended.
  @Override
  public void close() {
    interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
