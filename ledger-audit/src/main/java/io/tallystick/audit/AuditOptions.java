package io.tallystick.audit;

import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
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
/// @param submitters whose heads the ledger holds: it is audited as a T-Ledger then
/// @param anchor a trusted anchor, as its signer encoded it: below its size signatures and bodies
///   of ordinary journals are taken on its signer's word, who must be a member at the log's end
/// @param gossip what others say of the log, and who must
public record AuditOptions(
    int threads,
    AuditProgress progress,
    boolean stopAtFirstFault,
    Optional<SignedHead> trustedHead,
    boolean bodies,
    ReplayMemory memory,
    TimeOptions time,
    Optional<Submitters> submitters,
    Optional<Bytes> anchor,
    GossipOptions gossip) {
  public static final int THREADS_MAX = 256;

  public AuditOptions {
    if (threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException(threads + " threads, want 1 to " + THREADS_MAX);
    }
    if (submitters.isPresent() && (!bodies || anchor.isPresent())) {
      throw new IllegalArgumentException("a T-Ledger's entries are in its bodies, all of them");
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
        TimeOptions.NONE,
        Optional.empty(),
        Optional.empty(),
        GossipOptions.NONE);
  }

  public AuditOptions withThreads(int count) {
    return new AuditOptions(
        count,
        progress,
        stopAtFirstFault,
        trustedHead,
        bodies,
        memory,
        time,
        submitters,
        anchor,
        gossip);
  }

  public AuditOptions withProgress(AuditProgress listener) {
    return new AuditOptions(
        threads,
        listener,
        stopAtFirstFault,
        trustedHead,
        bodies,
        memory,
        time,
        submitters,
        anchor,
        gossip);
  }

  public AuditOptions withAllFaults() {
    return new AuditOptions(
        threads, progress, false, trustedHead, bodies, memory, time, submitters, anchor, gossip);
  }

  public AuditOptions withTrustedHead(SignedHead head) {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        Optional.of(head),
        bodies,
        memory,
        time,
        submitters,
        anchor,
        gossip);
  }

  public AuditOptions withMemory(ReplayMemory newMemory) {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        trustedHead,
        bodies,
        newMemory,
        time,
        submitters,
        anchor,
        gossip);
  }

  public AuditOptions withTime(TimeOptions newTime) {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        trustedHead,
        bodies,
        memory,
        newTime,
        submitters,
        anchor,
        gossip);
  }

  /// Not as a T-Ledger either, whose entries are in its bodies.
  public AuditOptions withoutBodies() {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        trustedHead,
        false,
        memory,
        time,
        Optional.empty(),
        anchor,
        gossip);
  }

  /// The ledger is a T-Ledger: each head that it holds is judged.
  public AuditOptions withSubmitters(Submitters known) {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        trustedHead,
        bodies,
        memory,
        time,
        Optional.of(known),
        anchor,
        gossip);
  }

  public AuditOptions fromAnchor(Bytes newAnchor) {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        trustedHead,
        bodies,
        memory,
        time,
        submitters,
        Optional.of(newAnchor),
        gossip);
  }

  public AuditOptions withGossip(GossipOptions newGossip) {
    return new AuditOptions(
        threads,
        progress,
        stopAtFirstFault,
        trustedHead,
        bodies,
        memory,
        time,
        submitters,
        anchor,
        newGossip);
  }
}
