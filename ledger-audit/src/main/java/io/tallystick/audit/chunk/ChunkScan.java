package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The checks of {@link ChunkCheck} for the chunks of a right log, in one pass over their bytes and
/// without an object for a journal. It accepts only what that would find no fault in, with the same
/// result; at anything else, faulty or only rare, it gives up, and the chunk is checked from its
/// beginning by the one that can say what is wrong. Not thread-safe; one for each worker.
final class ChunkScan implements AutoCloseable {
  private static final int GENESIS_JSN = 0;
  private static final int LEAVES_BYTES = 1 << 16;

  private final AuditContext context;
  private final HashBuffer hashing;
  private final PlainJournal journal;
  private final PlainSubmission submission;
  private final PlainOps ops = new PlainOps();
  private final MessageDigest sha = Sha256.newDigest();
  private final byte[] hash = new byte[Digest.BYTES];

  ChunkScan(AuditContext context) {
    this.context = context;
    this.hashing = context.hasher().buffer(LEAVES_BYTES);
    this.journal = new PlainJournal(context);
    this.submission = new PlainSubmission(context);
  }

  /// The results of one pass.
  private static final class Found {
    private final LeafRow leaves;
    private final ClueRow clues = new ClueRow();
    private final OpRow ops = new OpRow();
    private final List<Event> events = new ArrayList<>();
    private final RunningCounts counts = new RunningCounts();

    Found(Chunk chunk) {
      this.leaves = new LeafRow(chunk.firstJsn(), chunk.entries().count());
    }
  }

  /// @return null if the chunk is not one for this
  @Nullable CheckedChunk check(Chunk chunk) {
    if (chunk.sourceFault() != null || context.submitters().isPresent()) {
      return null;
    }
    submission.reset();
    Found found = new Found(chunk);
    EntryRun run = chunk.entries();
    run.hashLeaves(context.hasher(), hashing);
    for (int i = 0; i < run.count(); i++) {
      long jsn = chunk.firstJsn() + i;
      boolean right =
          (jsn > 1 && plain(run, i))
              ? journal(found, run, i, jsn) || rare(found, run, i, jsn)
              : other(found, run, i, jsn);
      if (!right) {
        return null;
      }
      found.counts.bytes += run.sizeBytes(i);
    }
    if (submission.open()) {
      return null;
    }
    found.leaves.complete(context.hasher());
    return new CheckedChunk(
        found.leaves,
        found.clues,
        List.of(),
        found.ops,
        List.of(),
        found.events,
        null,
        ChunkCheck.closing(chunk),
        found.counts);
  }

  /// Whether the leaf says that it is a journal.
  private static boolean plain(EntryRun run, int index) {
    int at = run.leafAt(index);
    return run.leafEnd(index) > at + 1 && run.bytes()[at + 1] == Leaf.JOURNAL;
  }

  private boolean journal(Found found, EntryRun run, int index, long jsn) {
    byte[] bytes = run.bytes();
    if (!journal.read(bytes, run.leafAt(index), run.leafEnd(index))
        || journal.jsn != jsn
        || !submission.place(journal, run, index)
        || !opsRight(run, index)) {
      return false;
    }
    int saltAt = -1;
    boolean bodies = context.bodiesAt(jsn);
    boolean erased = bodies && erased(run, index);
    if (bodies && !erased) {
      if (!bodyRight(run, index)) {
        return false;
      }
      saltAt = run.saltAt(index);
    }
    if (!submission.add(journal, run.opsEnd(index) - run.opsAt(index), bytes, saltAt)) {
      return false;
    }
    found.counts.bodies += bodies && !erased ? 1 : 0;
    found.counts.bodiesErased += erased ? 1 : 0;
    addLeaf(found, run, index, journal.timeMs);
    found.leaves.journal(Kind.APPEND.code(), erased);
    addClues(found, bytes);
    found.ops.add(found.leaves.count() - 1, ops.all());
    found.counts.journals++;
    if (submission.open()) {
      return true;
    }
    Event.Submission complete = submission.finish();
    if (complete == null) {
      return false;
    }
    found.events.add(complete);
    return true;
  }

  /// A journal of a governance kind, which stands alone: checked with objects as {@link ChunkCheck}
  /// does, so that a grant or a token does not cost its whole chunk.
  private boolean rare(Found found, EntryRun run, int index, long jsn) {
    if (submission.open()) {
      return false;
    }
    LogEntry entry = run.entry(index);
    List<AuditFault> faults = new ArrayList<>();
    RunningCounts counts = new RunningCounts();
    try {
      if (!(Leaf.decode(entry.leaf()) instanceof JournalLeaf leaf)
          || leaf.jsn().value() != jsn
          || leaf.batchCount() != 1
          || !leaf.encode().equals(entry.leaf())) {
        return false;
      }
      RequestHeader header = RequestHeader.decode(leaf.header());
      if (!header.kind().governance()) {
        return false;
      }
      Event.Submission complete = new SubmissionCheck(context, counts, faults).add(leaf, entry);
      if (complete == null
          || !faults.isEmpty()
          || complete.verdict() instanceof Event.Verdict.Bad) {
        return false;
      }
      found.counts.add(counts);
      addLeaf(found, run, index, leaf.timeMs());
      found.leaves.journal(
          header.kind().code(), context.bodiesAt(jsn) && entry.bodyState() == BodyState.ERASED);
      found.ops.add(found.leaves.count() - 1, List.of());
      found.events.add(complete);
      return true;
    } catch (MalformedException | FaultException e) {
      return false; // the careful check says why
    }
  }

  /// The clues of the leaf added last.
  private void addClues(Found found, byte[] bytes) {
    int leaf = found.leaves.count() - 1;
    for (int i = 0; i < journal.clueCount; i++) {
      found.clues.add(
          leaf, bytes, journal.clueIdAt(i), found.leaves.hashes(), leaf * Digest.BYTES, false);
    }
  }

  /// Whether the operations are those the header counts and commits to.
  private boolean opsRight(EntryRun run, int index) {
    int at = run.opsAt(index);
    int end = run.opsEnd(index);
    if (journal.opsCount == 0) {
      ops.clear();
      return at == end;
    }
    return ops.read(run.bytes(), at, end)
        && ops.all().size() == journal.opsCount
        && PlainJournal.sameHash(run.bytes(), journal.opsRootAt, ops.root(), 0);
  }

  /// Whether the entry has no body, and the source says that it was erased.
  private static boolean erased(EntryRun run, int index) {
    return run.state(index) == BodyState.ERASED && run.bodyEnd(index) == run.opsEnd(index);
  }

  private boolean bodyRight(EntryRun run, int index) {
    int size = run.bodyEnd(index) - run.bodyAt(index);
    if (run.state(index) != BodyState.PRESENT
        || run.saltEnd(index) - run.saltAt(index) != Limits.SALT_BYTES
        || size != journal.bodySizeBytes) {
      return false;
    }
    // The salt stands right before the body.
    Commitments.body(sha, run.bytes(), run.saltAt(index), Limits.SALT_BYTES + size, hash);
    return PlainJournal.sameHash(run.bytes(), journal.bodyCommitAt, hash, 0)
        && journal.readBody(run.bytes(), run.bodyAt(index), run.bodyEnd(index))
        && ops.valuesRight(run.bytes(), run.saltAt(index), journal);
  }

  /// Genesis, which has been checked, or a seal.
  private boolean other(Found found, EntryRun run, int index, long jsn) {
    if (submission.open()) {
      return false;
    }
    Bytes encoded = run.leaf(index);
    Leaf leaf;
    try {
      leaf = Leaf.decode(encoded);
    } catch (MalformedException e) {
      return false;
    }
    boolean right =
        leaf.jsn().value() == jsn
            && leaf.encode().equals(encoded)
            && switch (leaf) {
              case GenesisLeaf _ -> jsn == GENESIS_JSN;
              case SealLeaf seal ->
                  jsn != GENESIS_JSN
                      && bare(run, index)
                      && found.events.add(
                          new Event.Sealed(
                              seal,
                              found.counts.plusBytes(run.sizeBytes(index)),
                              run.source(index)));
              case JournalLeaf _ -> false;
            };
    if (right) {
      addLeaf(found, run, index, leaf.timeMs());
    }
    return right;
  }

  private static boolean bare(EntryRun run, int index) {
    return run.state(index) == BodyState.NONE && run.leafEnd(index) == run.bodyEnd(index);
  }

  private static void addLeaf(Found found, EntryRun run, int index, long timeMs) {
    found.leaves.add(run.leafHashes(), index * Digest.BYTES, timeMs);
  }

  /// Gives back what its hasher has lent.
  @Override
  public void close() {
    hashing.close();
  }
}
