package io.tallystick.server.sim.cluster;

import io.tallystick.server.sim.Violation;
import io.tallystick.testkit.cluster.Steps;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// The turn to run, which one of several threads has at a time, and the time. Who gets it next, and
/// how long whoever had it stands still, is drawn from a seed.
final class Baton {
  private static final long STEP_NANOS_MAX = 200_000;
  private static final long PAUSE_NANOS_MAX = 4_000_000_000L;
  private static final int PERMILLE = 1_000;

  /// Something that happens at a time, on whatever thread runs then.
  @FunctionalInterface
  interface Event {
    void happen();
  }

  private record Entry(long atNanos, long order, Event event) {}

  /// The thread's server is dead. No code under test may catch it for good: what it does afterwards
  /// reaches nobody.
  static final class Died extends Error {
    private static final long serialVersionUID = 1;
  }

  /// The run is over.
  static final class Over extends Error {
    private static final long serialVersionUID = 1;
  }

  private final SplittableRandom random;
  private final int switchPermille;
  private final int pausePermille;
  private final PriorityQueue<Entry> events =
      new PriorityQueue<>(Comparator.comparingLong(Entry::atNanos).thenComparingLong(Entry::order));
  private final List<Actor> actors = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Actor main = new Actor();
  private Event atSteps = () -> {};
  private long planned;
  private long nowNanos;
  private long steps;
  private volatile boolean over;
  private volatile @Nullable Throwable failure;

  /// @param switchPermille steps of a thousand at which another thread may go on
  /// @param pausePermille steps of a thousand at which the thread stands still
  Baton(SplittableRandom random, int switchPermille, int pausePermille) {
    this.random = random;
    this.switchPermille = switchPermille;
    this.pausePermille = pausePermille;
  }

  long nowNanos() {
    return nowNanos;
  }

  /// Time passes when no run is on.
  void skip(long nanos) {
    nowNanos += nanos;
  }

  /// Steps that were taken in all.
  long steps() {
    return steps;
  }

  void in(long nanos, Event event) {
    events.add(new Entry(nowNanos + nanos, planned++, event));
  }

  /// Lets something happen between any two steps.
  void atSteps(Event event) {
    atSteps = event;
  }

  /// The run has shown a fault.
  void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /// One who may have the turn, with a thread of its own.
  final class Actor implements Steps {
    private final Semaphore turn = new Semaphore(0);
    private long wakesAt;
    private boolean dead;

    /// @param what is not looked at: any step may be the last
    @Override
    public void step(String what) {
      check();
      steps++;
      nowNanos += 1 + random.nextLong(STEP_NANOS_MAX);
      atSteps.happen();
      int drawn = random.nextInt(PERMILLE);
      wakesAt = nowNanos;
      if (drawn < pausePermille) {
        wakesAt += random.nextLong(PAUSE_NANOS_MAX >> random.nextInt(6));
        pass(this);
      } else if (drawn < switchPermille) {
        pass(this);
      }
      check();
    }

    void sleep(long nanos) {
      check();
      wakesAt = nowNanos + nanos;
      pass(this);
      check();
    }

    /// Ends a sleep.
    void wake() {
      wakesAt = Math.min(wakesAt, nowNanos);
    }

    /// At its next step, or when it wakes.
    void die() {
      dead = true;
      wake();
    }

    boolean isDead() {
      return dead;
    }

    void revive() {
      dead = false;
    }

    void check() {
      if (over) {
        throw new Over();
      }
      if (dead) {
        throw new Died();
      }
    }
  }

  /// Adds a thread. It begins when the run does.
  Actor add(Runnable body) {
    Actor actor = new Actor();
    actors.add(actor);
    threads.add(
        Thread.ofPlatform()
            .daemon()
            .unstarted(() -> {
              actor.turn.acquireUninterruptibly();
              try {
                actor.check();
                body.run();
              } catch (Over _) {
                return;
              } catch (Throwable e) {
                fail(e);
              }
              end();
            }));
    return actor;
  }

  /// Runs for so long, then ends the threads.
  ///
  /// @throws Throwable the first fault that showed
  void run(long nanos) throws Throwable {
    threads.forEach(Thread::start);
    main.wakesAt = nowNanos + nanos;
    try {
      pass(main);
    } catch (Over _) {
      // An event failed.
    }
    over = true;
    for (int i = 0; i < actors.size(); i++) {
      actors.get(i).turn.release();
      threads.get(i).join();
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void end() {
    over = true;
    main.turn.release();
  }

  /// Lets events happen and others run until it is this one's turn again.
  private void pass(Actor from) {
    Actor next = next();
    if (!next.equals(from)) {
      next.turn.release();
      from.turn.acquireUninterruptibly();
    }
  }

  private Actor next() {
    while (true) {
      if (failure != null) {
        end();
        throw new Over();
      }
      Actor next = earliest();
      Entry entry = events.peek();
      if (entry == null || entry.atNanos > Math.max(nowNanos, next.wakesAt)) {
        nowNanos = Math.max(nowNanos, next.wakesAt);
        return next;
      }
      events.remove();
      nowNanos = Math.max(nowNanos, entry.atNanos);
      try {
        entry.event.happen();
      } catch (Violation e) {
        fail(e);
      }
    }
  }

  /// One of those that may run now; else whoever may run first.
  private Actor earliest() {
    List<Actor> ready = actors.stream().filter(actor -> actor.wakesAt <= nowNanos).toList();
    if (main.wakesAt <= nowNanos) {
      return main;
    }
    if (!ready.isEmpty()) {
      return ready.get(random.nextInt(ready.size()));
    }
    Actor first = main;
    for (Actor actor : actors) {
      first = actor.wakesAt < first.wakesAt ? actor : first;
    }
    return first;
  }
}
