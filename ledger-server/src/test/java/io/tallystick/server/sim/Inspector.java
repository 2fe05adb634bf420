package io.tallystick.server.sim;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.JournalView;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Compares what a shard answers with what is durable, and verifies its evidence with the code that
/// clients and auditors use.
final class Inspector {
  private static final int PROOFS = 6;
  private static final int WARY_LEAVES = 50;

  private final Signatures signatures = new FakeSignatures();
  private final RunStatistics statistics;
  private final ClueInspector clues;
  private final StateInspector states;

  Inspector(RunStatistics statistics) {
    this.statistics = statistics;
    this.clues = new ClueInspector(signatures, statistics);
    this.states = new StateInspector(signatures, statistics);
  }

  /// Something asked of a shard, and compared.
  @FunctionalInterface
  interface Look {
    void take()
        throws IOException,
            CorruptStreamException,
            RequestRejectedException,
            ProofRejectedException,
            MalformedException;
  }

  /// An answer must come, and be right.
  ///
  /// @throws IOException if the disk failed
  static void strictly(Look look) throws IOException {
    try {
      look.take();
    } catch (CorruptStreamException
        | RequestRejectedException
        | ProofRejectedException
        | MalformedException
        | RuntimeException e) {
      throw new Violation("no right answer from an undamaged shard", e);
    }
  }

  /// What is damaged may be refused as such; an answer must be right.
  static void warily(Look look) {
    try {
      look.take();
    } catch (IOException | CorruptStreamException _) {
      // Says so.
    } catch (RequestRejectedException e) {
      if (e.code() != RejectionCode.DAMAGED) {
        throw new Violation("damage was answered with another code", e);
      }
    } catch (ProofRejectedException | MalformedException e) {
      throw new Violation("damage became wrong evidence", e);
    } catch (RuntimeException e) {
      throw new Violation("damage was not recognised as such", e);
    }
  }

  /// The sealed head is one of the history's, and the newest if `all` is sealed.
  void head(Shard shard, SimLedger ledger, boolean all) throws IOException, CorruptStreamException {
    SealedHead head = shard.indexer().strand(ledger.strand).head();
    History history = ledger.history;
    if (head.size() == 0) {
      Violation.unless(!all, "ledger %s is durable and not indexed", ledger.strand);
      return;
    }
    History.Block block = history.blockOfSize(head.size());
    Violation.unless(
        block != null
            && block.root().equals(head.root())
            && block.sealHash().equals(head.blockHash())
            && block.height() == head.height()
            && block.timeMs() == head.timeMs(),
        "head of %s is %s, want %s",
        ledger.strand,
        head,
        block);
    Violation.unless(
        !all || head.size() == history.size(),
        "%s has %s leaves sealed, %s are durable",
        ledger.strand,
        head.size(),
        history.size());
  }

  /// Every leaf below `size` with its body, in one walk; no more than a purge has left.
  private void walk(Shard shard, SimLedger ledger, long first, long size) throws IOException {
    strictly(() -> {
      StrandIndex strand = shard.indexer().strand(ledger.strand);
      RemovedJournals.At removed = ledger.removed.at(strand.head().size());
      long from = Math.max(first, removed.firstLeaf());
      if (first < from) {
        purged(removed, () -> shard.log().walk(strand, first, size, true, Inspector::nothing));
      }
      if (from >= size) {
        return;
      }
      long[] next = {from};
      shard
          .log()
          .walk(
              strand,
              from,
              size,
              true,
              (jsn, leaf, attestation, ops, state, salt, body) -> {
                inOrder(jsn, next[0]++);
                leaf(ledger, removed, jsn, leaf, ops, state, salt, body);
                return true;
              });
      Violation.unless(next[0] == size, "the walk ended at %s, want %s", next[0], size);
    });
  }

  /// A leaf that must not come.
  private static boolean nothing(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState state,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    throw new Violation("journal " + jsn + " was purged, and is told");
  }

  /// What must be refused as purged.
  private void purged(RemovedJournals.At removed, Look look)
      throws IOException,
          CorruptStreamException,
          RequestRejectedException,
          ProofRejectedException,
          MalformedException {
    try {
      look.take();
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.PURGED && e.limit().orElse(-1) == removed.firstKept()) {
        statistics.purgedReads++;
        return;
      }
      throw e;
    }
    throw new Violation("journals below " + removed.firstKept() + " are purged, and were told");
  }

  private void leaf(
      SimLedger ledger,
      RemovedJournals.At removed,
      long jsn,
      Bytes leaf,
      Bytes ops,
      BodyState state,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    History.Entry entry = ledger.history.entry(jsn);
    // No message is put together for each leaf: there are many.
    if (!leaf.equals(entry.leaf())) {
      throw new Violation("leaf " + jsn + " is not what was committed");
    }
    Sent sent = entry.sent();
    if (!ops.equals(sent == null ? Bytes.EMPTY : sent.request(entry.index()).ops())) {
      throw new Violation("the operations of journal " + jsn + " are not what was committed");
    }
    if (sent == null) {
      return;
    }
    if (removed.isErased(jsn)) {
      statistics.erasedReads++;
      if (state != BodyState.ERASED || salt != null || body != null) {
        throw new Violation("the body of journal " + jsn + " is erased, and is " + state);
      }
      return;
    }
    boolean same =
        state == BodyState.PRESENT
            && Objects.equals(sent.request(entry.index()).salt(), salt)
            && Objects.equals(sent.request(entry.index()).body(), body);
    if (!same) {
      throw new Violation(
          "the body of journal " + jsn + " is " + state + ", not what was committed");
    }
  }

  private static void inOrder(long jsn, long want) {
    if (jsn != want) {
      throw new Violation("the walk is at " + jsn + ", want " + want);
    }
  }

  /// One leaf, asked for alone.
  void journal(Shard shard, SimLedger ledger, long jsn)
      throws IOException,
          CorruptStreamException,
          RequestRejectedException,
          ProofRejectedException,
          MalformedException {
    StrandIndex strand = shard.indexer().strand(ledger.strand);
    long size = strand.head().size();
    RemovedJournals.At removed = ledger.removed.at(size);
    if (jsn < removed.firstKept() && !ledger.isCarried(jsn, size)) {
      purged(removed, () -> shard.log().journal(strand, jsn, true));
      return;
    }
    JournalView view = shard.log().journal(strand, jsn, true);
    leaf(ledger, removed, jsn, view.leaf(), view.ops(), view.bodyState(), view.salt(), view.body());
    Sent sent = ledger.history.entry(jsn).sent();
    Violation.unless(
        sent == null || Objects.equals(sent.attestation, view.attestation()),
        "the attestation of journal %s is not what was committed",
        jsn);
  }

  /// Inclusion, consistency, receipt, checkpoint and clues about random places below `size`, each
  /// verified against the history's own roots.
  void prove(Shard shard, SimLedger ledger, long size, SplittableRandom random)
      throws IOException, CorruptStreamException, RequestRejectedException, ProofRejectedException {
    StrandIndex strand = shard.indexer().strand(ledger.strand);
    History history = ledger.history;
    long to = 1 + random.nextLong(size);
    long jsn = random.nextLong(to);
    switch (random.nextInt(ledger.hasState() ? 7 : 5)) {
      case 0 -> {
        ProvenLeaf leaf = shard.evidence().inclusion(strand, jsn, to);
        Digest leafHash = history.entry(jsn).leafHash();
        Violation.unless(leaf.leafHash().equals(leafHash), "journal %s has another leaf hash", jsn);
        leaf.inclusion().verify(leafHash, new JournalRoot(history.rootAt(to)));
      }
      case 1 -> {
        long from = 1 + random.nextLong(to);
        shard
            .evidence()
            .consistency(strand, from, to)
            .verify(new JournalRoot(history.rootAt(from)), new JournalRoot(history.rootAt(to)));
      }
      case 2 -> receipt(shard, ledger, strand, jsn);
      case 3 -> checkpoint(shard, ledger, strand);
      case 4 -> clues.look(shard, ledger, random);
      default -> states.look(shard, ledger, random);
    }
  }

  private void receipt(Shard shard, SimLedger ledger, StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException, ProofRejectedException {
    BlockRow row = strand.block(strand.heightOf(jsn));
    Bytes leaf = ledger.history.entry(jsn).leaf();
    try {
      SignedHead head =
          Receipt.decode(shard.evidence().receipt(strand, row, jsn))
              .verify(leaf, ledger.strand, ledger.serviceKeys, signatures);
      same(head, ledger);
    } catch (MalformedException e) {
      throw new Violation("a receipt that does not decode", e);
    }
  }

  private void checkpoint(Shard shard, SimLedger ledger, StrandIndex strand)
      throws IOException, ProofRejectedException {
    Bytes note = shard.evidence().checkpoint(strand, strand.head());
    same(Checkpoint.verify(note, ledger.strand, ledger.serviceKeys, signatures), ledger);
  }

  /// An answer to a submission, as its client verifies it: with leaves made from its own request.
  /// Of a shared receipt that is the part that covers it, and what is in that for a single journal.
  void answer(Sent sent, Receipted answer, @Nullable SharedReceipt shared) {
    Committed committed = answer.committed();
    long first = committed.firstJsn();
    List<Bytes> leaves = sent.leaves(committed);
    try {
      RangeReceipt receipt =
          shared == null
              ? RangeReceipt.decode(answer.rangeReceipt())
              : shared.of(committed, sent.ledger.serviceKeys, signatures);
      same(
          receipt.verify(leaves, sent.ledger.strand, sent.ledger.serviceKeys, signatures),
          sent.ledger);
      if (shared != null) {
        int last = sent.count() - 1;
        same(
            shared
                .of(first + last)
                .verify(leaves.get(last), sent.ledger.strand, sent.ledger.serviceKeys, signatures),
            sent.ledger);
      }
    } catch (MalformedException | ProofRejectedException e) {
      throw new Violation("the receipt of jsn " + first + " does not verify", e);
    }
  }

  static void same(SignedHead head, SimLedger ledger) {
    one(ledger, head.size().value(), head.root().digest());
  }

  /// A head that is signed is one of the one history's.
  static void one(SimLedger ledger, long size, Digest root) {
    History.Block block = ledger.history.blockOfSize(size);
    Violation.unless(
        block != null && block.root().equals(root),
        "a head of %s with size %s and root %s is not in its history: %s",
        ledger.strand,
        size,
        root,
        block);
  }

  /// Leaves below `size`, each asked for alone, and some proofs, of a shard on damaged storage.
  void everythingWarily(Shard shard, SimLedger ledger, long size, SplittableRandom random) {
    // Of a long log a stretch at random: there are many trials.
    long from = size <= WARY_LEAVES ? 0 : random.nextLong(size - WARY_LEAVES);
    for (long jsn = from; jsn < Math.min(size, from + WARY_LEAVES); jsn++) {
      long at = jsn;
      warily(() -> journal(shard, ledger, at));
    }
    for (int i = 0; i < PROOFS; i++) {
      warily(() -> prove(shard, ledger, size, random));
    }
  }

  /// The same of a sound shard.
  void everything(Shard shard, SimLedger ledger, long from, long size, SplittableRandom random)
      throws IOException {
    walk(shard, ledger, from, size);
    for (int i = 0; i < PROOFS; i++) {
      strictly(() -> prove(shard, ledger, size, random));
    }
  }
}
