package io.tallystick.audit.tree;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.ProgressMeter;
import io.tallystick.audit.source.BundlePrefetch;
import io.tallystick.audit.source.TileFiles;
import io.tallystick.audit.source.TileReader;
import io.tallystick.audit.source.TileRows;
import io.tallystick.audit.source.TileRows.Tile;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One audit of a log's tree. The tree over the entries decides; where a published leaf hash
/// differs, a second tree over those hashes goes on beside it, and the signed root says which of
/// the two was changed. Not thread-safe.
final class TreeRun {
  private static final BatchHasher CPU = BatchHasher.cpu();
  private static final long NO_ENTRY = -1;
  static final int FAULTS_MAX = 1_000;
  private static final Set<FaultKind> VERDICTS =
      Set.of(FaultKind.HEAD_INVALID, FaultKind.WRONG_ENTRY, FaultKind.TRUSTED_HEAD_CONTRADICTED);

  private final TreeAuditor auditor;
  private final TileReader files;
  private final Optional<TreeHead> earlier;
  private final AuditProgress progress;
  private final long startNanos = System.nanoTime();

  private final CompactRange tree = new CompactRange();
  private final TileRows rows = new TileRows(1, 0);
  private final List<AuditFault> faults = new ArrayList<>();
  private long entryBytes;
  private long tiles;
  private int levels;

  /// Over the published leaf hashes, from the first on that is not its entry's.
  private @Nullable CompactRange published;

  /// Whether a tile has been missing since `published` began, so that its root means nothing.
  private boolean publishedBroken;

  private @Nullable AuditFault difference;
  private Digest earlierByEntries = TreeHasher.EMPTY_ROOT;
  private Digest earlierByTiles = TreeHasher.EMPTY_ROOT;

  TreeRun(
      TreeAuditor auditor, TileFiles files, Optional<TreeHead> earlier, AuditProgress progress) {
    this.auditor = auditor;
    this.files = new TileReader(files);
    this.earlier = earlier;
    this.progress = progress;
  }

  TreeReport run() throws IOException {
    Optional<TreeHead> head = head();
    if (head.isPresent()) {
      read(head.get());
    }
    return new TreeReport(
        auditor.key(),
        head,
        earlier,
        tree.size(),
        new JournalRoot(tree.root()),
        entryBytes,
        tiles,
        levels,
        faults.stream().sorted(Comparator.comparingLong(AuditFault::jsn)).toList(),
        Duration.ofNanos(System.nanoTime() - startNanos));
  }

  private Optional<TreeHead> head() throws IOException {
    try {
      return Optional.of(auditor.head(files.checkpoint()));
    } catch (LogFormatException e) {
      add(NO_ENTRY, e.kind(), String.valueOf(e.getMessage()));
    } catch (ProofRejectedException e) {
      add(NO_ENTRY, FaultKind.HEAD_INVALID, String.valueOf(e.getMessage()));
    }
    return Optional.empty();
  }

  private void read(TreeHead head) throws IOException {
    long size = head.size().value();
    ProgressMeter meter = new ProgressMeter(progress, size);
    noteEarlier();
    try (BundlePrefetch<Bundle> bundles =
        new BundlePrefetch<>(0, size, this::fetch, Bundle::bytes)) {
      while (tree.size() < size) {
        Bundle bundle = bundles.next();
        add(bundle);
        meter.update(tree.size());
      }
    } catch (LogFormatException e) {
      if (difference != null) {
        add(difference.jsn(), FaultKind.LOG_MALFORMED, difference.detail());
      }
      add(tree.size(), e.kind(), String.valueOf(e.getMessage()));
      return;
    }
    for (Tile tile : rows.partial()) {
      check(tile);
    }
    judge(head);
  }

  /// @param entries at least as many as are wanted
  /// @param hashes of those that are wanted, 32 bytes each
  /// @param published the tile of their hashes
  /// @param fault what is wrong with that; null if nothing is
  private record Bundle(
      long index,
      int width,
      TileItems entries,
      Bytes hashes,
      Bytes published,
      @Nullable LogFormatException fault) {
    long bytes() {
      return entries.bytes().length;
    }
  }

  private Bundle fetch(long index, int width) throws IOException, LogFormatException {
    TileItems entries = files.bundle(TileBundle.ANY_ENTRIES, TilePath::entries, index, width);
    byte[] hashes = new byte[width * Digest.BYTES];
    for (int i = 0; i < width; i++) {
      TreeHasher.leafHash(entries.bytes(), entries.start(i), entries.size(i))
          .copyInto(hashes, i * Digest.BYTES);
    }
    Bytes all = Bytes.wrap(hashes);
    try {
      return new Bundle(index, width, entries, all, files.hashes(0, index, width), null);
    } catch (LogFormatException e) {
      return new Bundle(index, width, entries, all, all, e);
    }
  }

  private void add(Bundle bundle) throws IOException {
    if (bundle.fault() == null) {
      compared(0);
    } else {
      add(tree.size(), bundle.fault().kind(), String.valueOf(bundle.fault().getMessage()));
      publishedBroken |= published != null;
    }
    byte[] hashes = bundle.hashes().toArray();
    byte[] told = bundle.published().toArray();
    for (int i = 0; i < bundle.width(); i++) {
      int at = i * Digest.BYTES;
      if (published == null
          && !bundle
              .hashes()
              .slice(at, Digest.BYTES)
              .equals(bundle.published().slice(at, Digest.BYTES))) {
        differ(bundle, i);
      }
      tree.append(hashes, at);
      if (published != null) {
        published.append(told, at);
      }
      entryBytes += bundle.entries().size(i);
      noteEarlier();
    }
    if (bundle.width() == TilePath.WIDTH) {
      rows.add(TreeHasher.rootInPlace(CPU, hashes, TilePath.WIDTH).toArray());
    }
    for (Tile tile = rows.poll(); tile != null; tile = rows.poll()) {
      check(tile);
    }
  }

  private void differ(Bundle bundle, int at) {
    int from = at * Digest.BYTES;
    difference =
        new AuditFault(
            tree.size(),
            FaultKind.LOG_MALFORMED,
            String.format(
                Locale.ROOT,
                "entry %d of %s has the hash %s, in %s it has %s",
                at,
                TilePath.entries(bundle.index(), bundle.width()),
                bundle.hashes().slice(from, Digest.BYTES).hex(),
                TilePath.hashes(0, bundle.index(), bundle.width()),
                bundle.published().slice(from, Digest.BYTES).hex()));
    published = new CompactRange();
    published.restore(tree.size(), tree.subtrees());
  }

  private void check(Tile tile) throws IOException {
    try {
      files.check(tile);
      compared(tile.level());
    } catch (LogFormatException e) {
      FaultKind kind = e.kind() == FaultKind.LOG_MALFORMED ? FaultKind.WRONG_TILE : e.kind();
      add(tree.size() - 1, kind, String.valueOf(e.getMessage()));
    }
  }

  private void compared(int level) {
    tiles++;
    levels = Math.max(levels, level + 1);
  }

  /// The roots at the size of the head that was verified before.
  private void noteEarlier() {
    if (earlier.isPresent() && earlier.get().size().value() == tree.size()) {
      earlierByEntries = tree.root();
      earlierByTiles = published == null ? earlierByEntries : published.root();
    }
  }

  private void judge(TreeHead head) {
    Digest signed = head.root().digest();
    boolean entriesAreSigned = tree.root().equals(signed);
    boolean tilesAreSigned =
        published != null && !publishedBroken && published.root().equals(signed);
    if (difference != null && entriesAreSigned) {
      add(difference.jsn(), FaultKind.WRONG_TILE, difference.detail() + "; the entry is signed");
    } else if (difference != null && tilesAreSigned) {
      long wrong = difference.jsn();
      // Hashes computed from a wrong entry say nothing about the tiles above it.
      faults.removeIf(fault -> fault.kind() == FaultKind.WRONG_TILE && fault.jsn() >= wrong);
      add(wrong, FaultKind.WRONG_ENTRY, difference.detail() + "; the tile is signed");
    } else if (!entriesAreSigned) {
      String also = difference == null ? "" : "; " + difference.detail();
      add(
          NO_ENTRY,
          FaultKind.HEAD_INVALID,
          String.format(
              Locale.ROOT,
              "the entries have the root %s, signed is %s%s",
              tree.root(),
              signed,
              also));
    }
    judgeEarlier(head, tilesAreSigned && !entriesAreSigned ? earlierByTiles : earlierByEntries);
  }

  private void judgeEarlier(TreeHead head, Digest root) {
    if (earlier.isEmpty()) {
      return;
    }
    TreeHead before = earlier.get();
    if (before.size().value() > head.size().value()) {
      add(
          NO_ENTRY,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          String.format(
              Locale.ROOT,
              "the log has %s entries, a head of %s was verified before",
              head.size(),
              before.size()));
    } else if (!before.root().digest().equals(root)) {
      add(
          before.size().value() - 1,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          String.format(
              Locale.ROOT,
              "the first %s entries have the root %s, verified before was %s",
              before.size(),
              root,
              before.root()));
    }
  }

  /// Files may be wrong in any number; the verdict on the head is never left out for them.
  private void add(long entry, FaultKind kind, String detail) {
    if (faults.size() < FAULTS_MAX || VERDICTS.contains(kind)) {
      faults.add(new AuditFault(entry, kind, detail));
    }
  }
}
