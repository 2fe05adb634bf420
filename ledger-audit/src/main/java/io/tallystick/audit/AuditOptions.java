package io.tallystick.audit;

import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.head.SignedHead;
import java.util.Optional;

/// How to audit.
///
/// @param threads that check chunks; one more reads and one replays
/// @param stopAtFirstFault false: go on behind faults that concern one submission only, to find all
///   damaged bodies in one pass
/// @param trustedHead an earlier head of the same strand that the log must contain
/// @param bodies whether salts and bodies are checked; without them the audit says nothing about
///   what was appended, only that it was
/// @param memory for what is recomputed of the clues, and where the rest of it goes
/// @param time how time journals are judged
public record AuditOptions(
    int threads,
    AuditProgress progress,
    boolean stopAtFirstFault,
    Optional<SignedHead> trustedHead,
    boolean bodies,
    ReplayMemory memory,
    TimeOptions time) {
  public static final int THREADS_MAX = 256;

  public AuditOptions {
    if (threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException(threads + " threads, want 1 to " + THREADS_MAX);
    }
  }

  /// All cores, silent, to the first fault.
  public static AuditOptions defaults() {
    int cores = Math.min(Runtime.getRuntime().availableProcessors(), THREADS_MAX);
    return new AuditOptions(
        cores,
        AuditProgress.NONE,
        true,
        Optional.empty(),
        true,
        ReplayMemory.defaults(),
        TimeOptions.NONE);
  }

  public AuditOptions withThreads(int count) {
    return new AuditOptions(count, progress, stopAtFirstFault, trustedHead, bodies, memory, time);
  }

  public AuditOptions withProgress(AuditProgress listener) {
    return new AuditOptions(threads, listener, stopAtFirstFault, trustedHead, bodies, memory, time);
  }

  public AuditOptions withAllFaults() {
    return new AuditOptions(threads, progress, false, trustedHead, bodies, memory, time);
  }

  public AuditOptions withTrustedHead(SignedHead head) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, Optional.of(head), bodies, memory, time);
  }

  public AuditOptions withMemory(ReplayMemory newMemory) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, trustedHead, bodies, newMemory, time);
  }

  public AuditOptions withTime(TimeOptions newTime) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, trustedHead, bodies, memory, newTime);
  }

  public AuditOptions withoutBodies() {
    return new AuditOptions(threads, progress, stopAtFirstFault, trustedHead, false, memory, time);
  }
}
