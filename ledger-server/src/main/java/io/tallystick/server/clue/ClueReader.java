package io.tallystick.server.clue;

import io.tallystick.head.LastSeal;
import io.tallystick.journal.Feature;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenLineage;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.RecentHeads;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.SteadyRead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.clue.ClueEntry;
import io.tallystick.storage.clue.ClueHead;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.patricia.TrieView;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Answers what is known of clues, proven under a sealed head. Every proof is verified before it
/// leaves: stored damage becomes an error here, never a wrong answer. Thread-safe. Source:
/// `docs/formats/lineage.md`.
public final class ClueReader {
  private static final int TRIES_MAX = 100;

  /// A page ends behind the leaf that passes it.
  private static final long LEAF_BYTES_WANTED = 4 << 20;

  /// It also ends behind the block that passes this: a block, of 4 MiB at most, is read whole for
  /// the first of its leaves, and a batch in it hashed. Eight of the largest, each read twice.
  private static final long BLOCK_BYTES_WANTED = 32 << 20;

  private final Evidence evidence;
  private final LogReader log;
  private final long blockBytesWanted;
  private final RecentHeads recent;

  /// @param recent the heads that earlier pages were proven under
  public ClueReader(Evidence evidence, LogReader log, RecentHeads recent) {
    this(evidence, log, recent, BLOCK_BYTES_WANTED);
  }

  ClueReader(Evidence evidence, LogReader log, RecentHeads recent, long blockBytesWanted) {
    this.evidence = evidence;
    this.log = log;
    this.recent = recent;
    this.blockBytesWanted = blockBytesWanted;
  }

  /// The state of a clue under the newest head.
  public ProvenClue clue(StrandIndex strand, Digest clueId)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return SteadyRead.of(strand, Feature.CLUE_TRIE, () -> proven(strand, head(strand, 0), clueId));
  }

  /// A page of a clue's journals.
  ///
  /// @throws RequestRejectedException `CLUE_DELETED` with the journal that deleted it;
  ///   `FUTURE_SIZE` for a size beyond the head; `EXPIRED` for a head that is not at hand any more
  public ProvenLineage lineage(StrandIndex strand, LineageQuery query)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return SteadyRead.of(strand, Feature.CLUE_TRIE, () -> readLineage(strand, query));
  }

  private ProvenLineage readLineage(StrandIndex strand, LineageQuery query)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = head(strand, query.headSize());
    if (query.asOfSize() > head.size()) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE,
              "size " + query.asOfSize() + ", the head has " + head.size())
          .withLimit(head.size());
    }
    ProvenClue clue = proven(strand, head, query.clueId());
    if (clue.value().isEmpty()) {
      return new ProvenLineage(clue, 0, 0, List.of(), Optional.empty(), OptionalLong.empty());
    }
    ClueValue value = clue.value().get();
    checkCount(strand, query.clueId(), value);
    boolean before = query.asOfSize() != 0 && query.asOfSize() <= value.deletedJsn();
    if (value.isDeleted() && !before) {
      throw new RequestRejectedException(
              RejectionCode.CLUE_DELETED,
              String.format(
                  Locale.ROOT,
                  "clue %s was deleted by journal %d",
                  query.clueId(),
                  value.deletedJsn()))
          .atJsn(value.deletedJsn());
    }
    Page page = Page.of(StrandClues.of(strand).index(), query, value.count());
    ProvenLineage lineage = page(strand, query, clue, value, page);
    if (lineage.next().isPresent()) {
      recent.add(strand.strand(), head);
    }
    return lineage;
  }

  /// That a journal is one of a clue's, whether or not the clue was deleted since.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if the journal does not name the clue
  public ProvenLineage membership(StrandIndex strand, Digest clueId, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return SteadyRead.of(strand, Feature.CLUE_TRIE, () -> readMembership(strand, clueId, jsn));
  }

  private ProvenLineage readMembership(StrandIndex strand, Digest clueId, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ProvenClue clue = proven(strand, head(strand, 0), clueId);
    ClueValue value = clue.value().orElseThrow(() -> notNamed(clueId, jsn));
    checkCount(strand, clueId, value);
    ClueEntry entry =
        StrandClues.of(strand).index().latest(clueId, jsn).orElseThrow(() -> notNamed(clueId, jsn));
    if (entry.jsn() != jsn || entry.index() >= value.count()) {
      throw notNamed(clueId, jsn);
    }
    Run run = read(strand, List.of(entry), false, 1);
    LineageProof proof = prove(strand, clueId, clue.proof(), value, run.entries(), run.leaves());
    return new ProvenLineage(
        clue, value.count(), entry.index(), List.of(jsn), Optional.of(proof), OptionalLong.empty());
  }

  /// A list that was lost would be read beyond its end.
  private static void checkCount(StrandIndex strand, Digest clueId, ClueValue value)
      throws IOException, CorruptStreamException {
    long listed = StrandClues.of(strand).index().head(clueId).map(ClueHead::count).orElse(0L);
    if (listed < value.count()) {
      throw new CorruptStreamException(
          "clue index of " + strand.strand(),
          listed,
          String.format(
              Locale.ROOT,
              "clue %s has %d journals, the trie says %d",
              clueId,
              listed,
              value.count()));
    }
  }

  private static RequestRejectedException notNamed(Digest clueId, long jsn) {
    return new RequestRejectedException(
        RejectionCode.OUT_OF_RANGE, "journal " + jsn + " does not name clue " + clueId);
  }

  /// The newest head, with its trie.
  private static SealedHead newest(StrandIndex strand)
      throws IOException, CorruptStreamException, RequestRejectedException {
    for (int i = 0; i < TRIES_MAX; i++) {
      SealedHead head = strand.head();
      if (head.clues().view() != null || head.clues().root().equals(TrieView.EMPTY_ROOT)) {
        return head;
      }
      StrandClues.View view = StrandClues.of(strand).view();
      if (view.root().equals(head.clues().root())) {
        return head.with(Feature.CLUE_TRIE, view);
      }
      // A block with clues is being indexed: the next look finds this head with its view.
    }
    throw new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the clues of " + strand.strand() + " change too fast");
  }

  private SealedHead head(StrandIndex strand, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead newest = newest(strand);
    if (size == 0 || size == newest.size()) {
      return newest;
    }
    if (size > newest.size()) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE, "size " + size + ", the newest head has " + newest.size())
          .withLimit(newest.size());
    }
    SealedHead kept = recent.find(strand.strand(), size);
    if (kept == null) {
      throw gone(size);
    }
    return kept;
  }

  private ProvenClue proven(StrandIndex strand, SealedHead head, Digest clueId)
      throws IOException, CorruptStreamException, RequestRejectedException {
    TrieProof trie = new TrieProof(trieNodes(head, clueId));
    BlockRow row = strand.block(head.height());
    LastSeal last = evidence.lastSeal(strand, head.height(), row);
    Optional<ClueValue> value;
    try {
      value = trie.verify(clueId, new ClueRoot(head.clues().root()));
    } catch (ProofRejectedException e) {
      throw damaged("clue trie: " + e.getMessage(), e);
    }
    BlockView block = evidence.block(strand, head.height(), row);
    return new ProvenClue(block, new ClueProof(last.seal(), last.path(), trie), value);
  }

  private static List<Bytes> trieNodes(SealedHead head, Digest clueId)
      throws IOException, CorruptStreamException, RequestRejectedException {
    TrieView view = StrandClues.under(head);
    if (view == null) {
      return List.of();
    }
    try (TrieView.Reader reader = view.open().orElseThrow(() -> gone(head.size()))) {
      return reader.proof(TrieProof.key(clueId));
    }
  }

  private static RequestRejectedException gone(long size) {
    return new RequestRejectedException(
        RejectionCode.EXPIRED,
        "the clues under the head of size " + size + " are not at hand any more; begin again");
  }

  /// Which entries a query means.
  ///
  /// @param total of the clue's entries that it is about
  /// @param first index of the lowest of the page
  private record Page(long total, long first, int count, OptionalLong next) {
    private static Page of(ClueIndex index, LineageQuery query, long entries)
        throws IOException, CorruptStreamException {
      long total = query.asOfSize() == 0 ? entries : below(index, query, query.asOfSize(), entries);
      return query.descending()
          ? descending(total, last(index, query, total), query.limit())
          : ascending(total, start(index, query, total), query.limit());
    }

    private static Page ascending(long total, long first, int limit) {
      int count = (int) Math.clamp(total - first, 0, (long) limit);
      long end = first + count;
      return new Page(
          total, first, count, end < total ? OptionalLong.of(end) : OptionalLong.empty());
    }

    private static Page descending(long total, long last, int limit) {
      int count = (int) Math.min(last + 1, limit);
      long first = last + 1 - count;
      return new Page(
          total, first, count, first > 0 ? OptionalLong.of(first - 1) : OptionalLong.empty());
    }

    private static long start(ClueIndex index, LineageQuery query, long total)
        throws IOException, CorruptStreamException {
      if (query.from() == LineageQuery.FROM_END) {
        return 0;
      }
      return Math.min(
          total, query.fromIsJsn() ? below(index, query, query.from(), total) : query.from());
    }

    private static long last(ClueIndex index, LineageQuery query, long total)
        throws IOException, CorruptStreamException {
      if (query.from() == LineageQuery.FROM_END) {
        return total - 1;
      }
      long last =
          query.fromIsJsn() ? below(index, query, query.from() + 1, total) - 1 : query.from();
      return Math.min(total - 1, last);
    }

    /// Entries of the first `entries` whose jsn is below `jsn`.
    private static long below(ClueIndex index, LineageQuery query, long jsn, long entries)
        throws IOException, CorruptStreamException {
      if (jsn == 0) {
        return 0;
      }
      Optional<ClueEntry> latest = index.latest(query.clueId(), jsn - 1);
      return latest.isEmpty() ? 0 : Math.min(entries, latest.get().index() + 1);
    }
  }

  private ProvenLineage page(
      StrandIndex strand, LineageQuery query, ProvenClue clue, ClueValue value, Page page)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long end = page.first() + page.count();
    // The journal behind the last one before the size shows that it is the last.
    boolean witness = end == page.total() && end < value.count();
    int count = page.count() + (witness ? 1 : 0);
    if (count == 0) {
      return new ProvenLineage(
          clue, page.total(), page.first(), List.of(), Optional.empty(), OptionalLong.empty());
    }
    List<ClueEntry> all =
        StrandClues.of(strand).index().entries(query.clueId(), page.first(), count);
    Run run = read(strand, all, query.descending(), witness ? 2 : 1);
    LineageProof proof =
        prove(strand, query.clueId(), clue.proof(), value, run.entries(), run.leaves());
    List<Long> jsns =
        run.entries().stream().filter(entry -> entry.index() < end).map(ClueEntry::jsn).toList();
    return new ProvenLineage(
        clue,
        page.total(),
        run.first(),
        query.descending() ? jsns.reversed() : jsns,
        Optional.of(proof),
        run.entries().size() == all.size() ? page.next() : run.next(query.descending()));
  }

  /// The leaves of entries, as many as one answer takes.
  ///
  /// @param descending whether the highest are kept if they are too many
  /// @param least as many in any case
  private Run read(StrandIndex strand, List<ClueEntry> entries, boolean descending, int least)
      throws IOException, CorruptStreamException, RequestRejectedException {
    List<ClueEntry> wanted = descending ? entries.reversed() : entries;
    List<Bytes> leaves = new ArrayList<>(wanted.size());
    long leafBytes = 0;
    long blockBytes = 0;
    LogReader.BlockCost block = null;
    for (ClueEntry entry : wanted) {
      boolean sameBlock = block != null && block.holds(entry.jsn());
      boolean enough =
          leafBytes >= LEAF_BYTES_WANTED || (!sameBlock && blockBytes >= blockBytesWanted);
      if (enough && leaves.size() >= least) {
        break;
      }
      if (!sameBlock) {
        block = log.cost(strand, entry.jsn());
        blockBytes += block.bytes();
      }
      Bytes leaf = leaf(strand, entry);
      leafBytes += leaf.size();
      leaves.add(leaf);
    }
    List<ClueEntry> read = wanted.subList(0, leaves.size());
    return descending ? new Run(read.reversed(), leaves.reversed()) : new Run(read, leaves);
  }

  private Bytes leaf(StrandIndex strand, ClueEntry entry)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Bytes leaf = log.leaf(strand, entry.jsn());
    if (!TreeHasher.leafHash(leaf).equals(entry.leafHash())) {
      throw damaged("journal " + entry.jsn() + " is not the one that its clue lists", null)
          .atJsn(entry.jsn());
    }
    return leaf;
  }

  /// Entries of a clue and their leaves, ascending.
  private record Run(List<ClueEntry> entries, List<Bytes> leaves) {
    long first() {
      return entries.getFirst().index();
    }

    /// Where to go on if not all were read.
    OptionalLong next(boolean descending) {
      return OptionalLong.of(descending ? first() - 1 : entries.getLast().index() + 1);
    }
  }

  private static LineageProof prove(
      StrandIndex strand,
      Digest clueId,
      ClueProof clue,
      ClueValue value,
      List<ClueEntry> entries,
      List<Bytes> leaves)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long first = entries.getFirst().index();
    RangeProof range =
        StrandClues.of(strand).index().proof(clueId, first, entries.size(), value.count());
    List<Digest> hashes =
        entries.stream().map(entry -> TreeHasher.leafHash(entry.leafHash())).toList();
    try {
      Digest root = range.rootFrom(hashes);
      if (!root.equals(value.root())) {
        throw damaged("clue tree has root " + root + ", the trie says " + value.root(), null);
      }
    } catch (ProofRejectedException e) {
      throw damaged("clue tree: " + e.getMessage(), e);
    }
    return new LineageProof(clue, first, range.roots(), leaves);
  }

  private static RequestRejectedException damaged(String what, @Nullable Throwable cause) {
    return cause == null
        ? new RequestRejectedException(RejectionCode.DAMAGED, what)
        : new RequestRejectedException(RejectionCode.DAMAGED, what, cause);
  }
}
