package io.tallystick.server.clue;

import io.tallystick.journal.Feature;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.seal.BlockIndex;
import io.tallystick.server.seal.ClueEntries;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.clue.ClueBatch;
import io.tallystick.storage.clue.ClueEntry;
import io.tallystick.storage.clue.ClueHead;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.patricia.PatriciaTrie;
import io.tallystick.storage.patricia.TrieBatch;
import io.tallystick.storage.patricia.TrieView;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// The clues of one strand: the list of each clue's journals, and the trie that holds each clue's
/// count and root. Both advance by whole blocks. One owner thread applies and saves. Source:
/// `docs/formats/clue-trie.md`.
public final class StrandClues implements ClueEntries {
  private final ClueIndex index;
  private final PatriciaTrie trie;
  private final ClueBatch entries;
  private final TrieBatch batch;
  private final byte[] key = new byte[Digest.BYTES];
  private TrieView.@Nullable Reader reader; // while a block is added

  /// @param entries the owner thread's, as is `batch`, shared by all strands of a shard
  StrandClues(ClueIndex index, PatriciaTrie trie, ClueBatch entries, TrieBatch batch) {
    this.entries = entries;
    this.batch = batch;
    this.index = index;
    this.trie = trie;
    index.witness(this::check);
  }

  /// The journals of each clue.
  public ClueIndex index() {
    return index;
  }

  /// The clue trie after a block.
  record View(TrieView trie) implements BlockIndex.View {
    @Override
    public Digest root() {
      return trie.root();
    }
  }

  /// The clues of a strand.
  static StrandClues of(StrandIndex strand) throws IOException, CorruptStreamException {
    return strand.index(Feature.CLUE_TRIE, StrandClues.class);
  }

  /// The clue trie under a head; null while nothing has needed it since the start.
  static @Nullable TrieView under(SealedHead head) {
    return head.clues().view() instanceof View view ? view.trie() : null;
  }

  @Override
  public View view() {
    return new View(trie.view());
  }

  /// Adds a block's journals to the clues that they name.
  @Override
  public Digest apply(BlockInfo block, FramePlace place, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    return apply(block.firstJsn(), NamedClues.in(block), leafHashes);
  }

  /// The same of what is known of a block.
  Digest apply(long firstJsn, List<NamedClues> named, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    try {
      add(firstJsn, named, leafHashes);
    } finally {
      closeReader();
    }
    batch.clear();
    index.visitChanged(this::put);
    Digest root = trie.apply(batch);
    batch.clear();
    return root;
  }

  private void add(long firstJsn, List<NamedClues> named, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    entries.clear();
    for (int i = 0; i < named.size(); i++) {
      NamedClues journal = named.get(i);
      long jsn = firstJsn + journal.journal();
      int hash = journal.journal() * Digest.BYTES;
      for (Digest clueId : journal.clues().ids()) {
        if (entries.isFull()) {
          index.append(entries);
          entries.clear();
        }
        entries.add(clueId, jsn, leafHashes, hash, journal.clues().delete());
      }
    }
    index.append(entries);
    entries.clear();
  }

  /// The trie of before the block knows every clue's count, root and deletion.
  private void check(Digest clueKey, long count, Digest root, long deletedJsn)
      throws IOException, CorruptStreamException {
    if (reader == null) {
      reader =
          trie.view()
              .open()
              .orElseThrow(() -> new AssertionError("the newest view cannot be read"));
    }
    Optional<Bytes> known = reader.get(clueKey);
    Optional<Bytes> row =
        count == 0
            ? Optional.empty()
            : Optional.of(new ClueValue(count, root, deletedJsn).encode());
    if (!known.equals(row)) {
      throw new CorruptStreamException(
          "head of the clue with key " + clueKey,
          0,
          String.format(Locale.ROOT, "its row says %s, the trie says %s", text(row), text(known)));
    }
  }

  private static String text(Optional<Bytes> value) {
    return value.map(Bytes::hex).orElse("nothing");
  }

  private void closeReader() {
    if (reader != null) {
      reader.close();
      reader = null;
    }
  }

  private void put(Digest clueKey, long count, Digest root, long deletedJsn) {
    clueKey.copyInto(key, 0);
    Bytes value = new ClueValue(count, root, deletedJsn).encode();
    batch.put(key, 0, value.unsafeArray());
  }

  @Override
  public void visit(Digest clueId, long first, long last, LongPredicate jsn)
      throws IOException, CorruptStreamException {
    Optional<ClueHead> head = index.head(clueId);
    long count = head.map(ClueHead::count).orElse(0L);
    long next =
        first == 0 || count == 0
            ? 0
            : index.latest(clueId, first - 1).map(entry -> entry.index() + 1).orElse(0L);
    while (next < count) {
      int page = (int) Math.min(ClueIndex.ENTRIES_MAX, count - next);
      for (ClueEntry entry : index.entries(clueId, next, page)) {
        if (entry.jsn() > last || !jsn.test(entry.jsn())) {
          return;
        }
      }
      next += page;
    }
  }

  /// Clues that were ever used. For the owner.
  long clueCount() {
    return trie.keyCount();
  }

  PatriciaTrie trie() {
    return trie;
  }

  /// Lets go of the clues; what no savepoint holds is gone. Readers hear that it was closed.
  void close() {
    index.close();
  }

  @Override
  public void savepoint(MetaBatch into) throws IOException, CorruptStreamException {
    index.savepoint(into);
    trie.savepoint(into);
  }

  @Override
  public void saved() {
    index.saved();
  }
}
