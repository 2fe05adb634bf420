package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.DistinctHashes;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The submission whose journals are being read, without an object for each. Its rules are those of
/// {@link SubmissionCheck}; where one does not hold it says only that. Not thread-safe.
final class PlainSubmission {
  /// A request hash with the zero byte before it that makes it a leaf of its batch.
  private static final int STRIDE = 1 + Digest.BYTES;

  private static final byte[] NO_SALT = new byte[Digest.BYTES];

  private final AuditContext context;
  private final AttestationCheck attestations;
  private final MessageDigest sha = Sha256.newDigest();
  private final BatchHasher hasher = BatchHasher.cpu();
  private final DistinctHashes salts = new DistinctHashes();
  private final DistinctHashes requests = new DistinctHashes();
  private final byte[] attestHash = new byte[Digest.BYTES];
  private byte[] hashes = new byte[STRIDE];
  private byte[] nodes = new byte[Digest.BYTES];
  private Bytes attestation = Bytes.EMPTY;
  private boolean delegated;
  private long firstJsn;
  private int count;
  private int done;
  private long bytes;
  private long expiresMs;

  PlainSubmission(AuditContext context) {
    this.context = context;
    this.attestations = new AttestationCheck(context);
  }

  void reset() {
    count = 0;
    done = 0;
  }

  /// Whether journals of a batch are still to come.
  boolean open() {
    return done < count;
  }

  /// @return whether this is the first journal of a submission that may begin here, or the next of
  ///   the one that is open
  boolean place(PlainJournal journal, EntryRun run, int index) {
    if (journal.batchIndex == 0) {
      return !open() && begin(journal, run, index);
    }
    return open()
        && journal.batchIndex == done
        && journal.batchCount == count
        && journal.delegated == delegated
        && !run.attested(index)
        && PlainJournal.sameHash(run.bytes(), journal.attestHashAt, attestHash, 0);
  }

  private boolean begin(PlainJournal journal, EntryRun run, int index) {
    if (!run.attested(index)) {
      return false;
    }
    int from = run.attestationAt(index);
    int size = run.attestationEnd(index) - from;
    sha.update(run.bytes(), from, size);
    Sha256.finish(sha, attestHash, 0);
    if (!PlainJournal.sameHash(run.bytes(), journal.attestHashAt, attestHash, 0)) {
      return false;
    }
    attestation = Bytes.copyOf(run.bytes(), from, size);
    delegated = journal.delegated;
    firstJsn = journal.jsn;
    count = journal.batchCount;
    done = 0;
    bytes = size;
    expiresMs = 0;
    if (hashes.length < count * STRIDE) {
      hashes = new byte[count * STRIDE];
      nodes = new byte[count * Digest.BYTES];
    }
    salts.reset(count);
    requests.reset(count);
    return true;
  }

  /// @param opsBytes how long its operations are
  /// @param saltAt where its salt stands; negative if salts are not looked at
  /// @return whether it keeps the limits and is unlike those before it
  boolean add(PlainJournal journal, int opsBytes, byte[] array, int saltAt) {
    int size = journal.headerBytes() + opsBytes + Limits.SALT_BYTES + journal.bodySizeBytes;
    int alone = count == 1 ? attestation.size() : 0;
    bytes += size;
    if (size + alone > Limits.REQUEST_BYTES_MAX || bytes > Limits.BATCH_BYTES_MAX) {
      return false;
    }
    if (saltAt >= 0 && !saltRight(array, saltAt)) {
      return false;
    }
    int at = done * STRIDE;
    sha.update(array, journal.headerAt, journal.headerBytes());
    Sha256.finish(sha, hashes, at + 1);
    expiresMs = Math.max(expiresMs, journal.expiresMs);
    done++;
    return count == 1 || requests.add(hashes, at + 1);
  }

  private boolean saltRight(byte[] array, int saltAt) {
    return !PlainJournal.sameHash(array, saltAt, NO_SALT, 0)
        && (count == 1 || salts.add(array, saltAt));
  }

  /// @return null unless the whole submission is signed as it must be, by keys that are known
  Event.@Nullable Submission finish() {
    try {
      Attestation decoded = Attestation.decode(attestation);
      List<Digest> kids = AttestationCheck.kids(decoded);
      if (!attestations.known(kids)) {
        return null;
      }
      List<AttestationVerifier.Signer> signers =
          AttestationVerifier.verifySignatures(
              context.strand(),
              count,
              payload(),
              decoded,
              context.keys(),
              context.signaturesOf(firstJsn, count, false));
      return new Event.Submission(
          firstJsn,
          count,
          kids,
          new Event.Verdict.Good(signers),
          Extension.None.INSTANCE,
          Event.Flags.of(delegated),
          expiresMs,
          Optional.empty());
    } catch (MalformedException | ProofRejectedException e) {
      return null;
    }
  }

  private Bytes payload() {
    if (count == 1) {
      return Bytes.copyOf(hashes, 1, Digest.BYTES);
    }
    hasher.sha256(hashes, 0, STRIDE, count, nodes, 0);
    return TreeHasher.rootInPlace(hasher, nodes, count).toBytes();
  }
}
