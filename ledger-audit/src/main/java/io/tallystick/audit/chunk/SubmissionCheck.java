package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.replay.StateOp;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Puts the journals of a chunk together to what clients submitted, and checks each submission:
/// whole and in order, with the attestation its leaves commit to. Not thread-safe.
public final class SubmissionCheck {
  private final RunningCounts counts;
  private final List<AuditFault> faults;
  private final RequestCheck requests;
  private final AuditContext context;
  private final BodyCheck bodies;
  private final AttestationCheck attestations;
  private @Nullable Open open;
  private @Nullable RequestHeader last;
  private List<StateOp> lastOps = List.of();

  SubmissionCheck(AuditContext context, RunningCounts counts, List<AuditFault> faults) {
    this.counts = counts;
    this.faults = faults;
    this.requests = new RequestCheck(context, faults);
    this.context = context;
    this.bodies = new BodyCheck(counts, faults);
    this.attestations = new AttestationCheck(context);
  }

  /// A submission of which not all journals have come.
  private static final class Open {
    private final long firstJsn;
    private final int count;
    private final Digest attestHash;
    private final Event.Shown shown;
    private Event.Flags flags;
    private final List<RequestHeader> headers;
    private final List<Digest> hashes;
    private final Set<Digest> salts = new HashSet<>();
    private long bytes;
    private long expiresMs;

    Open(JournalLeaf first, LogEntry entry) {
      this.firstJsn = first.jsn().value();
      this.count = first.batchCount();
      this.attestHash = first.attestHash();
      this.shown = new Event.Shown(entry.leaf(), entry.attestation());
      this.headers = new ArrayList<>(Math.min(count, ChunkReader.ENTRIES_WANTED));
      this.hashes = new ArrayList<>(Math.min(count, ChunkReader.ENTRIES_WANTED));
      this.bytes = entry.attestation().size();
      this.flags = Event.Flags.of(first.delegated());
    }

    private void addFlags(JournalLeaf leaf) {
      if (leaf.delegated() != flags.delegated() && flags.otherJsn() < 0) {
        flags = new Event.Flags(flags.delegated(), leaf.jsn().value());
      }
    }
  }

  /// @return the submission whose last journal this is
  Event.@Nullable Submission add(JournalLeaf leaf, LogEntry entry) throws FaultException {
    Open submission = place(leaf, entry);
    long jsn = leaf.jsn().value();
    RequestHeader header = requests.check(leaf);
    last = header;
    if (submission.count > 1 && header.kind().governance()) {
      throw wrongBatch(jsn, "kind " + header.kind().code() + " stands in a batch");
    }
    lastOps = OpsCheck.check(jsn, entry.ops(), header);
    if (context.bodiesAt(jsn)) {
      bodies.check(jsn, entry, header, lastOps);
      checkSalt(submission, jsn, entry.salt());
    }
    checkSize(submission, jsn, entry.ops().size(), leaf, header);
    submission.headers.add(header);
    submission.addFlags(leaf);
    submission.hashes.add(RequestHeader.hash(leaf.header()));
    submission.expiresMs = Math.max(submission.expiresMs, header.expiresMs());
    counts.journals++;
    if (submission.headers.size() < submission.count) {
      return null;
    }
    open = null;
    return complete(submission);
  }

  /// The header of the journal added last.
  RequestHeader header() {
    if (last == null) {
      throw new IllegalStateException("no journal was added");
    }
    return last;
  }

  /// The operations of the journal added last.
  List<StateOp> ops() {
    return lastOps;
  }

  /// @param jsn of the leaf that is no journal of the open batch
  void checkClosed(long jsn) throws FaultException {
    if (open != null) {
      throw wrongBatch(jsn, "ends after " + open.headers.size() + " of " + batch(open));
    }
  }

  private Open place(JournalLeaf leaf, LogEntry entry) throws FaultException {
    long jsn = leaf.jsn().value();
    if (leaf.batchIndex() == 0) {
      checkClosed(jsn);
      checkAttestation(jsn, leaf, entry.attestation());
      open = new Open(leaf, entry);
      return open;
    }
    if (open == null) {
      throw wrongBatch(jsn, "index " + leaf.batchIndex() + " of a batch that has not begun");
    }
    int index = open.headers.size();
    if (leaf.batchIndex() != index || leaf.batchCount() != open.count) {
      throw wrongBatch(
          jsn,
          String.format(
              Locale.ROOT,
              "journal %d of %d, want %d of %s",
              leaf.batchIndex(),
              leaf.batchCount(),
              index,
              batch(open)));
    }
    if (!entry.attestation().isEmpty()) {
      throw wrongBatch(jsn, "a second attestation inside " + batch(open));
    }
    if (!leaf.attestHash().equals(open.attestHash)) {
      throw new FaultException(
          jsn,
          FaultKind.ATTESTATION_MISMATCH,
          "attestHash is " + leaf.attestHash() + ", of " + batch(open) + " " + open.attestHash);
    }
    return open;
  }

  public static void checkAttestation(long jsn, JournalLeaf leaf, Bytes attestation)
      throws FaultException {
    if (attestation.isEmpty()) {
      throw new FaultException(
          jsn, FaultKind.ATTESTATION_MISSING, "no attestation hashes to " + leaf.attestHash());
    }
    Digest hash = Attestation.hash(attestation);
    if (!hash.equals(leaf.attestHash())) {
      throw new FaultException(
          jsn,
          FaultKind.ATTESTATION_MISMATCH,
          "the attestation hashes to " + hash + ", the leaf says " + leaf.attestHash());
    }
  }

  private void checkSalt(Open submission, long jsn, Bytes salt) {
    if (salt.size() != Limits.SALT_BYTES) {
      return;
    }
    Digest value = Digest.of(salt);
    if (value.equals(Digest.ZERO)) {
      fault(jsn, FaultKind.SALT_INVALID, "the salt is all zero");
    } else if (submission.count > 1 && !submission.salts.add(value)) {
      fault(jsn, FaultKind.SALT_INVALID, "an earlier journal of " + batch(submission) + " has it");
    }
  }

  /// Bodies count as the header states them, whether they are still there or not.
  private void checkSize(
      Open submission, long jsn, int opsBytes, JournalLeaf leaf, RequestHeader header) {
    int size = leaf.header().size() + opsBytes + Limits.SALT_BYTES + header.bodySizeBytes();
    int alone = submission.count == 1 ? submission.shown.attestation().size() : 0;
    if (size + alone > Limits.REQUEST_BYTES_MAX) {
      fault(
          jsn,
          FaultKind.REQUEST_TOO_LARGE,
          (size + alone) + " bytes, at most " + Limits.REQUEST_BYTES_MAX);
    }
    submission.bytes += size;
  }

  private Event.Submission complete(Open submission) {
    if (submission.bytes > Limits.BATCH_BYTES_MAX) {
      fault(
          submission.firstJsn,
          FaultKind.REQUEST_TOO_LARGE,
          String.format(
              Locale.ROOT,
              "%s has %d bytes, at most %d",
              batch(submission),
              submission.bytes,
              Limits.BATCH_BYTES_MAX));
    }
    AttestationCheck.Result result =
        attestations.check(
            submission.firstJsn,
            submission.shown.attestation(),
            submission.headers,
            submission.hashes);
    RequestHeader first = submission.headers.getFirst();
    boolean single = submission.count == 1;
    return new Event.Submission(
        submission.firstJsn,
        submission.count,
        result.kids(),
        result.verdict(),
        single ? first.extension() : Extension.None.INSTANCE,
        submission.flags,
        submission.expiresMs,
        single && first.kind().governance() ? Optional.of(submission.shown) : Optional.empty());
  }

  private void fault(long jsn, FaultKind kind, String detail) {
    faults.add(new AuditFault(jsn, kind, detail));
  }

  private static FaultException wrongBatch(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.WRONG_BATCH, detail);
  }

  private static String batch(Open submission) {
    return "the batch of " + submission.count + " from jsn " + submission.firstJsn;
  }
}
