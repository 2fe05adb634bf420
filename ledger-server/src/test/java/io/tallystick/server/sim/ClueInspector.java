package io.tallystick.server.sim;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.VerifiedLineage;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.node.BlockView;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenLineage;
import io.tallystick.receipt.Receipt;
import io.tallystick.server.clue.ClueReader;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Compares what a shard says of a clue with what the journals say that name it, and verifies its
/// proofs with the code that clients use.
final class ClueInspector {
  private final Signatures signatures;
  private final RunStatistics statistics;

  ClueInspector(Signatures signatures, RunStatistics statistics) {
    this.statistics = statistics;
    this.signatures = signatures;
  }

  /// One question about one clue.
  private record Question(StrandIndex strand, SimLedger ledger, Digest clueId) {
    /// Below which a purge has removed all.
    long firstLeaf() {
      return ledger.removed.at(strand.head().size()).firstLeaf();
    }

    /// The clue's journals in the first `size` leaves of the log.
    List<ClueHistory.Entry> entries(long size) {
      ClueHistory.Clue clue = ledger.history.clues().clue(clueId);
      return clue == null ? List.of() : clue.below(size);
    }
  }

  /// Asks for something at random.
  void look(Shard shard, SimLedger ledger, SplittableRandom random)
      throws IOException, CorruptStreamException, RequestRejectedException, ProofRejectedException {
    Digest id =
        random.nextInt(16) == 0
            ? Digest.of(SimLedger.bytes32(random))
            : ledger.clues.get(random.nextInt(ledger.clues.size())).id();
    StrandIndex strand = shard.indexer().strand(ledger.strand);
    Question question = new Question(strand, ledger, id);
    List<ClueHistory.Entry> entries = question.entries(strand.head().size());
    ClueReader reads = shard.clues();
    switch (random.nextInt(4)) {
      case 0 -> state(reads.clue(strand, id), question);
      case 1 -> {
        if (!entries.isEmpty()) {
          membership(reads, question, entries, random.nextInt(entries.size()));
        }
      }
      default -> lineage(reads, question, entries, random);
    }
    statistics.clueLooks += entries.isEmpty() ? 0 : 1;
  }

  private SignedHead head(BlockView block, Question question) throws ProofRejectedException {
    try {
      SignedHead head =
          Receipt.decode(block.headReceipt())
              .verify(
                  block.sealLeaf(),
                  question.ledger().strand,
                  question.ledger().serviceKeys,
                  signatures);
      Inspector.same(head, question.ledger());
      long newest = question.strand().head().size();
      Violation.unless(
          head.size().value() == newest, "proven under size %s, want %s", head.size(), newest);
      return head;
    } catch (MalformedException e) {
      throw new Violation("a receipt that does not decode", e);
    }
  }

  private void state(ProvenClue clue, Question question) throws ProofRejectedException {
    SignedHead head = head(clue.head(), question);
    List<ClueHistory.Entry> entries = question.entries(head.size().value());
    ClueState is = clue.proof().verify(question.clueId(), head);
    boolean right =
        switch (is) {
          case ClueState.NeverUsed _ -> entries.isEmpty();
          case ClueState.Used used ->
              used.count() == entries.size() && used.value().deletedJsn() == deletedJsn(entries);
        };
    Violation.unless(right, "clue is proven to be %s, want %s entries", is, entries.size());
  }

  /// 0 if it is not deleted.
  private static long deletedJsn(List<ClueHistory.Entry> entries) {
    boolean deleted = !entries.isEmpty() && entries.getLast().deletes();
    return deleted ? entries.getLast().jsn() : 0;
  }

  private void membership(
      ClueReader reads, Question question, List<ClueHistory.Entry> entries, int index)
      throws IOException, CorruptStreamException, RequestRejectedException, ProofRejectedException {
    long jsn = entries.get(index).jsn();
    ProvenLineage is;
    try {
      is = reads.membership(question.strand(), question.clueId(), jsn);
    } catch (RequestRejectedException e) {
      if (isPurged(e, question, jsn)) {
        return;
      }
      throw e;
    }
    Violation.unless(jsn >= question.firstLeaf(), "journal %s was purged, and is shown", jsn);
    run(is, question, List.of(jsn), index);
  }

  private boolean isPurged(RequestRejectedException e, Question question, long lowest) {
    boolean purged = e.code() == RejectionCode.PURGED && lowest < question.firstLeaf();
    statistics.purgedReads += purged ? 1 : 0;
    return purged;
  }

  private void lineage(
      ClueReader reads, Question question, List<ClueHistory.Entry> entries, SplittableRandom random)
      throws IOException, CorruptStreamException, RequestRejectedException, ProofRejectedException {
    long size = question.strand().head().size();
    LineageQuery query = query(question.clueId(), size, entries.size(), random);
    long asOf = query.asOfSize();
    long deletedJsn = deletedJsn(entries);
    boolean refused = deletedJsn != 0 && (asOf == 0 || asOf > deletedJsn);
    List<Long> listed = jsns(question.entries(asOf == 0 ? size : asOf));
    List<Long> ahead = ahead(listed, query);
    List<Long> wanted = ahead.subList(0, Math.min(query.limit(), ahead.size()));
    long lowest = lowest(wanted, listed, entries, query);
    ProvenLineage page;
    try {
      page = reads.lineage(question.strand(), query);
    } catch (RequestRejectedException e) {
      if (refused && e.code() == RejectionCode.CLUE_DELETED) {
        Violation.unless(e.jsn().orElse(-1) == deletedJsn, "%s, want %s", e, deletedJsn);
        statistics.clueDeletions++;
        return;
      }
      if (!refused && isPurged(e, question, lowest)) {
        return;
      }
      throw e;
    }
    Violation.unless(!refused, "a clue that journal %s deleted is listed", deletedJsn);
    Violation.unless(lowest >= question.firstLeaf(), "%s are purged, and listed", wanted);
    OptionalLong next =
        wanted.size() < ahead.size()
            ? OptionalLong.of(listed.indexOf(ahead.get(wanted.size())))
            : OptionalLong.empty();
    Violation.unless(
        page.total() == listed.size() && page.next().equals(next),
        "%s journals and then %s, want %s and %s",
        page.total(),
        page.next(),
        listed.size(),
        next);
    if (wanted.isEmpty()) {
      run(page, question, wanted, page.first());
      return;
    }
    long first = listed.indexOf(query.descending() ? wanted.getLast() : wanted.getFirst());
    VerifiedLineage proven = run(page, question, wanted, first);
    boolean toTheEnd = first + wanted.size() == listed.size();
    if (asOf != 0 && toTheEnd) {
      long count = Objects.requireNonNull(proven).countAt(new TreeSize(asOf));
      Violation.unless(count == listed.size(), "%s as of %s, want %s", count, asOf, listed.size());
    }
  }

  /// The lowest journal that is read: of a page without any, the one that shows the end.
  private static long lowest(
      List<Long> wanted, List<Long> listed, List<ClueHistory.Entry> all, LineageQuery query) {
    if (!wanted.isEmpty()) {
      return Collections.min(wanted);
    }
    boolean shown = listed.size() < all.size() && (!query.descending() || listed.isEmpty());
    return shown ? all.get(listed.size()).jsn() : SimLedger.NEVER;
  }

  private static LineageQuery query(
      Digest clueId, long size, int entries, SplittableRandom random) {
    boolean byJsn = random.nextBoolean();
    long from =
        random.nextInt(3) == 0
            ? LineageQuery.FROM_END
            : random.nextLong(byJsn ? size : entries + 1L);
    return new LineageQuery(
        clueId,
        from,
        byJsn,
        random.nextBoolean(),
        1 + random.nextInt(random.nextBoolean() ? 4 : LineageQuery.LIMIT_MAX),
        random.nextBoolean() ? 0 : 1 + random.nextLong(size),
        0);
  }

  private static List<Long> jsns(List<ClueHistory.Entry> entries) {
    return entries.stream().map(ClueHistory.Entry::jsn).toList();
  }

  /// The journals from where a query begins, in its direction.
  private static List<Long> ahead(List<Long> listed, LineageQuery query) {
    List<Long> ahead = new ArrayList<>();
    for (int i = 0; i < listed.size(); i++) {
      long place = query.fromIsJsn() ? listed.get(i) : i;
      boolean there = query.descending() ? place <= query.from() : place >= query.from();
      if (there || query.from() == LineageQuery.FROM_END) {
        ahead.add(listed.get(i));
      }
    }
    return query.descending() ? ahead.reversed() : ahead;
  }

  /// That the answer names these journals, and its proof shows them.
  ///
  /// @return what is proven; null without journals to prove
  private @Nullable VerifiedLineage run(
      ProvenLineage is, Question question, List<Long> wanted, long first)
      throws ProofRejectedException {
    state(is.clue(), question);
    Violation.unless(
        is.jsns().equals(wanted) && is.first() == first,
        "a clue's journals %s from %s, want %s from %s",
        is.jsns(),
        is.first(),
        wanted,
        first);
    if (is.proof().isEmpty()) {
      Violation.unless(wanted.isEmpty(), "no proof of %s journals", wanted.size());
      return null;
    }
    SignedHead head = head(is.clue().head(), question);
    VerifiedLineage proven = is.proof().get().verify(question.clueId(), head);
    List<Long> shown = proven.entries().stream().map(LineageEntry::jsn).toList();
    List<Long> all = jsns(question.entries(head.size().value()));
    int from = (int) proven.first();
    Violation.unless(
        shown.equals(all.subList(from, from + shown.size())) && shown.containsAll(wanted),
        "proven are %s from %s, want %s",
        shown,
        from,
        wanted);
    return proven;
  }
}
