package io.tallystick.testkit.fault;

import java.io.IOException;
import java.util.SplittableRandom;

/// Which operation of a run fails, and how. Counts everything that changes a {@link CrashingDisk}
/// or a {@link CrashingMetaStore} that share the plan: one sequence over all of them, from 0. Reads
/// are not counted: a crash there leaves what a crash at the next change leaves.
///
/// Use: run once with {@link #never}, then once for each operation below {@link #operations}.
/// Thread-safe.
public final class CrashPlan {
  /// What befalls an operation.
  enum Fault {
    NONE,
    CRASH,
    FAILED_FORCE,
    DISK_FULL
  }

  private static final int NEVER = -1;
  private static final long SEED_OF_NEVER = 1;

  private Fault fault;
  private SplittableRandom random;
  private int at;
  private int operationsToNext;
  private int operations;
  private int faults;
  private volatile int crashedAt;
  private volatile boolean crashed;

  private CrashPlan(Fault fault, int at, int operationsToNext, SplittableRandom random) {
    this.fault = fault;
    this.at = at;
    this.operationsToNext = operationsToNext;
    this.random = random;
  }

  private CrashPlan(Fault fault, int at, SplittableRandom random) {
    this(fault, at, NEVER, random);
  }

  /// Counts only.
  public static CrashPlan never() {
    return new CrashPlan(Fault.NONE, NEVER, new SplittableRandom(SEED_OF_NEVER));
  }

  /// The machine stops at that operation, which may be carried out wholly, in part or not at all.
  ///
  /// @param random decides what of the unforced survives
  public static CrashPlan at(int operation, SplittableRandom random) {
    return new CrashPlan(Fault.CRASH, operation, random);
  }

  /// The first force of a file at or after that operation fails; what it should have saved stays
  /// readable but is not on the disk, and later forces succeed without saving it: so does Linux.
  public static CrashPlan failForceAt(int operation, SplittableRandom random) {
    return new CrashPlan(Fault.FAILED_FORCE, operation, random);
  }

  /// As {@link #failForceAt}; and the first force that is so many operations behind that one fails
  /// too.
  public static CrashPlan failTwoForcesAt(int operation, int apart, SplittableRandom random) {
    return new CrashPlan(Fault.FAILED_FORCE, operation, apart, random);
  }

  /// The first write, allocation or batch at or after that operation finds the disk full, a write
  /// halfway perhaps; after it there is room again.
  public static CrashPlan diskFullAt(int operation, SplittableRandom random) {
    return new CrashPlan(Fault.DISK_FULL, operation, random);
  }

  /// Operations begun so far.
  public synchronized int operations() {
    return operations;
  }

  /// Whether a planned fault has happened.
  public synchronized boolean fired() {
    return faults > 0;
  }

  /// Planned faults that have happened.
  public synchronized int faults() {
    return faults;
  }

  public boolean crashed() {
    return crashed;
  }

  /// Stops the machine now, whatever the plan says: pulls the plug.
  public synchronized void crashNow() {
    crashedAt = operations;
    crashed = true;
  }

  /// From now on the plan is that the machine stops so many operations later.
  ///
  /// @param survival decides what of the unforced survives
  public synchronized void crashAfter(int more, SplittableRandom survival) {
    fault = Fault.CRASH;
    at = operations + more;
    operationsToNext = NEVER;
    random = survival;
  }

  /// Counts an operation and says what befalls it.
  synchronized Fault begin(boolean mayFailForce, boolean mayBeFull) throws IOException {
    requireRunning();
    int operation = operations++;
    boolean possible =
        switch (fault) {
          case NONE -> false;
          case CRASH -> true;
          case FAILED_FORCE -> mayFailForce;
          case DISK_FULL -> mayBeFull;
        };
    if (at == NEVER || operation < at || !possible) {
      return Fault.NONE;
    }
    faults++;
    at = operationsToNext == NEVER ? NEVER : operation + operationsToNext;
    operationsToNext = NEVER;
    crashedAt = operation;
    crashed = fault == Fault.CRASH;
    return fault;
  }

  void requireRunning() throws CrashedException {
    if (crashed) {
      throw new CrashedException(crashedAt);
    }
  }

  /// A source of its own for one decision.
  synchronized SplittableRandom random() {
    return random.split();
  }
}
