package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All checks of one chunk that need no history, leaf by leaf up to the first fatal fault, saying
/// what is wrong: the rule {@link ChunkScan} is measured by. Made for one chunk, run by one worker.
final class ChunkCheck {
  private final Chunk chunk;
  private final AuditContext context;
  private final LeafRow leaves;
  private final ClueRow clues = new ClueRow();
  private final OpRow ops = new OpRow();
  private final RunningCounts counts = new RunningCounts();
  private final List<AuditFault> faults = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final CborWriter scratch = new CborWriter(1024);
  private final SubmissionCheck submissions;
  private final List<HeldHead> heads = new ArrayList<>();
  private final @Nullable HeadEntryCheck entries;

  private ChunkCheck(Chunk chunk, AuditContext context) {
    this.chunk = chunk;
    this.context = context;
    this.leaves = new LeafRow(chunk.firstJsn(), chunk.entries().count());
    this.submissions = new SubmissionCheck(context, counts, faults);
    this.entries =
        context.submitters().map(known -> new HeadEntryCheck(context, known, faults)).orElse(null);
  }

  static CheckedChunk check(Chunk chunk, AuditContext context) {
    ChunkCheck check = new ChunkCheck(chunk, context);
    AuditFault fatal = check.run();
    check.leaves.complete(context.hasher());
    return new CheckedChunk(
        check.leaves,
        check.clues,
        check.heads,
        check.ops,
        List.copyOf(check.faults),
        List.copyOf(check.events),
        fatal,
        fatal == null ? closing(chunk) : null,
        check.counts);
  }

  static CheckedChunk.@Nullable Closing closing(Chunk chunk) {
    LogEnd end = chunk.end();
    Bytes last = chunk.lastLeaf();
    return end == null || last == null ? null : new CheckedChunk.Closing(end, last);
  }

  private @Nullable AuditFault run() {
    try {
      long jsn = chunk.firstJsn();
      for (int i = 0; i < chunk.entries().count(); i++) {
        check(jsn, chunk.entries().entry(i), chunk.entries().source(i));
        jsn++;
      }
      if (!chunk.last()) {
        submissions.checkClosed(jsn);
      }
      return chunk.sourceFault();
    } catch (FaultException e) {
      return e.fault();
    }
  }

  private void check(long jsn, LogEntry entry, long source) throws FaultException {
    Leaf leaf = decode(jsn, entry.leaf());
    if (leaf.jsn().value() != jsn) {
      throw new FaultException(
          jsn, FaultKind.WRONG_JSN, "the leaf says jsn " + leaf.jsn() + ", it stands at " + jsn);
    }
    checkPlace(jsn, leaf);
    switch (leaf) {
      case GenesisLeaf _ -> {}
      case SealLeaf seal -> {
        submissions.checkClosed(jsn);
        checkBare(jsn, entry);
        events.add(new Event.Sealed(seal, counts.plusBytes(entry.sizeBytes()), source));
      }
      case JournalLeaf journal -> {
        Event.Submission complete = submissions.add(journal, entry);
        if (complete != null) {
          events.add(complete);
        }
        addHead(journal, entry);
      }
    }
    leaves.add(TreeHasher.leafHash(entry.leaf()), leaf.timeMs());
    if (leaf instanceof JournalLeaf) {
      boolean erased = context.bodiesAt(jsn) && entry.bodyState() == BodyState.ERASED;
      leaves.journal(submissions.header().kind().code(), erased);
      addClues(submissions.header());
      ops.add(leaves.count() - 1, submissions.ops());
    }
    counts.bytes += entry.sizeBytes();
  }

  private void addHead(JournalLeaf journal, LogEntry entry) {
    HeldHead held = entries == null ? null : entries.check(journal, submissions.header(), entry);
    if (held != null) {
      heads.add(held);
    }
  }

  /// The clues of the leaf added last.
  private void addClues(RequestHeader header) {
    int leaf = leaves.count() - 1;
    boolean deletion = header.kind() == Kind.CLUE_DELETE;
    for (Digest clueId : header.clueIds()) {
      clues.add(leaf, clueId.toArray(), 0, leaves.hashes(), leaf * Digest.BYTES, deletion);
    }
  }

  /// Decoding accepts one encoding only; encoding again checks that it does.
  private Leaf decode(long jsn, Bytes encoded) throws FaultException {
    Leaf leaf;
    try {
      leaf = Leaf.decode(encoded);
    } catch (MalformedException e) {
      throw new FaultException(jsn, FaultKind.MALFORMED_LEAF, String.valueOf(e.getMessage()));
    }
    if (!encodesTo(leaf, encoded)) {
      throw new FaultException(
          jsn, FaultKind.MALFORMED_LEAF, "it does not encode to its own bytes again");
    }
    return leaf;
  }

  private boolean encodesTo(Leaf leaf, Bytes encoded) {
    if (!(leaf instanceof JournalLeaf journal) || journal.delegated()) {
      return leaf.encode().equals(encoded);
    }
    JournalLeaf.encode(
        scratch.reset(),
        journal.jsn().value(),
        journal.timeMs(),
        journal.header().unsafeArray(),
        journal.attestHash(),
        journal.batchIndex(),
        journal.batchCount());
    byte[] want = encoded.unsafeArray();
    return Arrays.equals(scratch.buffer(), 0, scratch.length(), want, 0, want.length);
  }

  /// Genesis is the first leaf and nothing else is; its seal is the second.
  private static void checkPlace(long jsn, Leaf leaf) throws FaultException {
    String want =
        jsn == 0 ? "the genesis leaf" : jsn == 1 ? "the seal of genesis" : "a journal or a seal";
    boolean right =
        switch (leaf) {
          case GenesisLeaf _ -> jsn == 0;
          case SealLeaf _ -> jsn >= 1;
          case JournalLeaf _ -> jsn >= 2;
        };
    if (!right) {
      throw new FaultException(
          jsn,
          FaultKind.WRONG_TYPE,
          leaf.getClass().getSimpleName() + " at " + jsn + ", want " + want);
    }
  }

  private static void checkBare(long jsn, LogEntry entry) throws FaultException {
    if (!entry.attestation().isEmpty()) {
      throw new FaultException(
          jsn,
          FaultKind.ATTESTATION_MISMATCH,
          "an attestation of " + entry.attestation().size() + " bytes stands with a seal");
    }
    BodyCheck.checkNone(jsn, entry);
    OpsCheck.checkNone(jsn, entry);
  }
}
