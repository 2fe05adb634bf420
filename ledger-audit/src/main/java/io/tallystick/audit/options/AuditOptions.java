package io.tallystick.audit.options;

import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import java.nio.file.Path;
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
/// @param hasher of leaves and complete subtrees, thousands at a time
/// @param trust how what comes from others is judged
public record AuditOptions(
    int threads,
    AuditProgress progress,
    boolean stopAtFirstFault,
    Optional<SignedHead> trustedHead,
    boolean bodies,
    ReplayMemory memory,
    BatchHasher hasher,
    TrustOptions trust) {
  public static final int THREADS_MAX = 256;

  public AuditOptions {
    if (threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException(threads + " threads, want 1 to " + THREADS_MAX);
    }
    if (trust.submitters().isPresent() && (!bodies || trust.anchor().isPresent())) {
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
        BatchHasher.cpu(),
        TrustOptions.NONE);
  }

  public AuditOptions withThreads(int count) {
    return new AuditOptions(
        count, progress, stopAtFirstFault, trustedHead, bodies, memory, hasher, trust);
  }

  public AuditOptions withProgress(AuditProgress listener) {
    return new AuditOptions(
        threads, listener, stopAtFirstFault, trustedHead, bodies, memory, hasher, trust);
  }

  public AuditOptions withAllFaults() {
    return new AuditOptions(threads, progress, false, trustedHead, bodies, memory, hasher, trust);
  }

  public AuditOptions withTrustedHead(SignedHead head) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, Optional.of(head), bodies, memory, hasher, trust);
  }

  public AuditOptions withMemory(ReplayMemory newMemory) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, trustedHead, bodies, newMemory, hasher, trust);
  }

  /// With what does not fit into memory in this folder.
  public AuditOptions withFolder(Path folder) {
    return withMemory(memory.in(folder));
  }

  /// Not closed by the audit.
  public AuditOptions withHasher(BatchHasher newHasher) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, trustedHead, bodies, memory, newHasher, trust);
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
        hasher,
        trust.withSubmitters(Optional.empty()));
  }

  public AuditOptions withTime(TimeOptions time) {
    return withTrust(trust.withTime(time));
  }

  /// The ledger is a T-Ledger: each head that it holds is judged.
  public AuditOptions withSubmitters(Submitters known) {
    return withTrust(trust.withSubmitters(Optional.of(known)));
  }

  public AuditOptions fromAnchor(Bytes anchor) {
    return withTrust(trust.withAnchor(Optional.of(anchor)));
  }

  public AuditOptions withGossip(GossipOptions gossip) {
    return withTrust(trust.withGossip(gossip));
  }

  public AuditOptions withCertificates(CertificateOptions certificates) {
    return withTrust(trust.withCertificates(certificates));
  }

  private AuditOptions withTrust(TrustOptions newTrust) {
    return new AuditOptions(
        threads, progress, stopAtFirstFault, trustedHead, bodies, memory, hasher, newTrust);
  }

  public TimeOptions time() {
    return trust.time();
  }

  public Optional<Submitters> submitters() {
    return trust.submitters();
  }

  public Optional<Bytes> anchor() {
    return trust.anchor();
  }

  public GossipOptions gossip() {
    return trust.gossip();
  }

  public CertificateOptions certificates() {
    return trust.certificates();
  }
}
