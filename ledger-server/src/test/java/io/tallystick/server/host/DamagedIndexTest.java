package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LineageQuery;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a damaged index is refused as such, however often one asks, and never becomes evidence.
/// Method: the simulator found these; each is what its seed boiled down to.
class DamagedIndexTest {
  private static final StrandId STRAND = Fixtures.ledger().strand();

  private static final Digest OTHER = TreeHasher.leafHash(Bytes.utf8("another leaf"));

  private final InMemoryDisk disk = new InMemoryDisk();
  private final FailingRows meta = new FailingRows();

  /// A meta store some rows of which cannot be read.
  private static final class FailingRows implements MetaStore {
    final InMemoryMetaStore rows = new InMemoryMetaStore();
    final Set<Bytes> unreadable = new HashSet<>();

    @Override
    public @Nullable Bytes get(Bytes key) throws IOException {
      if (unreadable.contains(key)) {
        throw new IOException("checksum of a block is wrong");
      }
      return rows.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      rows.scan(prefix, after, visitor);
    }

    @Override
    public void write(MetaBatch batch) {
      rows.write(batch);
    }

    @Override
    public void close() {}

    /// Keys of the rows of arrays that hold `what`.
    List<Bytes> arrayRowsWith(Digest what) throws IOException {
      return rowsWith("array/", what);
    }

    /// Keys of the rows of a kind that hold `what`.
    List<Bytes> rowsWith(String kind, Digest what) throws IOException {
      List<Bytes> keys = new ArrayList<>();
      rows.scan(
          Bytes.utf8(kind),
          null,
          (key, value) -> {
            if (value.hex().contains(what.hex())) {
              keys.add(key);
            }
            return true;
          });
      return keys;
    }
  }

  private static void assertRefused(RejectionCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRejectedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void refusesAProofInAnOlderTreeThatAgreesWithDamagedHashesOnly() throws Exception {
    Digest leafHash;
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.batch(1, 40));
      leafHash = TreeHasher.leafHash(service.node.journal(STRAND, 2, false).leaf());
      byte[] tile = service.node.tile(STRAND, 0, 0, 40);
      assertThat(Digest.of(tile, 2 * Digest.BYTES)).isEqualTo(leafHash);
    }
    damage(leafHash);
    try (TestNode service = new TestNode(disk, meta)) {
      assertRefused(RejectionCode.DAMAGED, () -> service.node.inclusion(STRAND, 2, 3));
      assertRefused(RejectionCode.DAMAGED, () -> service.node.inclusion(STRAND, 1, 7));
      assertRefused(RejectionCode.DAMAGED, () -> service.node.consistency(STRAND, 3, 7));
      assertRefused(RejectionCode.DAMAGED, () -> service.node.tile(STRAND, 0, 0, 3));
      assertRefused(RejectionCode.DAMAGED, () -> service.node.tile(STRAND, 0, 0, 40));
      assertThat(service.node.inclusion(STRAND, 20, 33).inclusion().size()).isEqualTo(33);
    }
  }

  /// Puts another hash in the place of one that an array's row holds.
  private void damage(Digest hash) throws IOException {
    damage(hash, OTHER);
  }

  private void damage(Digest hash, Digest other) throws IOException {
    Bytes key = meta.arrayRowsWith(hash).getFirst();
    String row = Objects.requireNonNull(meta.rows.get(key)).hex();
    Bytes damaged = Bytes.wrap(HexFormat.of().parseHex(row.replaceFirst(hash.hex(), other.hex())));
    meta.rows.write(new MetaBatch().put(key, damaged));
  }

  /// Two full tiles and a part of the third.
  private byte[] appendTwoTiles(TestNode service) throws Exception {
    service.found();
    service.append(service.fixtures.batch(1, 600));
    return service.node.tile(STRAND, 0, TilePath.WIDTH, TilePath.WIDTH);
  }

  @Test
  void refusesATileWithADamagedHashAndServesTheOthers() throws Exception {
    byte[] tile;
    try (TestNode service = new TestNode(disk, meta)) {
      tile = appendTwoTiles(service);
    }
    damage(Digest.of(tile, 40 * Digest.BYTES));
    try (TestNode service = new TestNode(disk, meta)) {
      for (int i = 0; i < 2; i++) {
        assertThat(service.node.tile(STRAND, 0, 0, TilePath.WIDTH)).hasSize(tile.length);
        assertRefused(
            RejectionCode.DAMAGED,
            () -> service.node.tile(STRAND, 0, TilePath.WIDTH, TilePath.WIDTH));
        assertThat(service.node.tile(STRAND, 1, 0, 2)).hasSize(2 * Digest.BYTES);
      }
    }
  }

  @Test
  void refusesATileUnderADamagedHash() throws Exception {
    byte[] tile;
    try (TestNode service = new TestNode(disk, meta)) {
      tile = appendTwoTiles(service);
    }
    damage(TreeHasher.rootInPlace(new CpuBatchHasher(), tile, TilePath.WIDTH));
    try (TestNode service = new TestNode(disk, meta)) {
      for (int i = 0; i < 2; i++) {
        assertRefused(
            RejectionCode.DAMAGED,
            () -> service.node.tile(STRAND, 0, TilePath.WIDTH, TilePath.WIDTH));
        assertRefused(RejectionCode.DAMAGED, () -> service.node.tile(STRAND, 1, 0, 2));
      }
    }
  }

  /// Damage to both, in such a way that each agrees with the other.
  @Test
  void refusesATileThatAgreesWithADamagedHashAboveOnly() throws Exception {
    byte[] tile;
    try (TestNode service = new TestNode(disk, meta)) {
      tile = appendTwoTiles(service);
    }
    BatchHasher hasher = new CpuBatchHasher();
    Digest leaf = Digest.of(tile, 40 * Digest.BYTES);
    Digest above = TreeHasher.rootInPlace(hasher, tile.clone(), TilePath.WIDTH);
    OTHER.copyInto(tile, 40 * Digest.BYTES);
    damage(leaf);
    damage(above, TreeHasher.rootInPlace(hasher, tile, TilePath.WIDTH));
    try (TestNode service = new TestNode(disk, meta)) {
      for (int i = 0; i < 2; i++) {
        assertRefused(
            RejectionCode.DAMAGED,
            () -> service.node.tile(STRAND, 0, TilePath.WIDTH, TilePath.WIDTH));
      }
    }
  }

  /// What is kept of a tree must not stand in the way of what the tree becomes.
  @Test
  void servesTilesThatWereCompletedSinceTheLastOneWasRead() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      byte[] tile = appendTwoTiles(service);
      service.append(service.fixtures.batch(2, 300));
      assertThat(service.node.tile(STRAND, 0, TilePath.WIDTH, TilePath.WIDTH)).isEqualTo(tile);
      byte[] third = service.node.tile(STRAND, 0, 2 * TilePath.WIDTH, TilePath.WIDTH);
      byte[] above = service.node.tile(STRAND, 1, 0, 3);
      assertThat(TreeHasher.rootInPlace(new CpuBatchHasher(), third, TilePath.WIDTH))
          .isEqualTo(Digest.of(above, 2 * Digest.BYTES));
    }
  }

  /// Blocks that were read last are kept for all ledgers together.
  @Test
  void readsTwoLedgersByTurns() throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 1);
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.batch(1, 20));
      service.found(other);
      service.append(other, other.batch(2, 20));
    }
    Bytes mine;
    Bytes others;
    try (TestNode service = new TestNode(disk, meta)) {
      mine = service.node.bundle(STRAND, TileBundle.BODIES, 0, 20).bytes();
    }
    try (TestNode service = new TestNode(disk, meta)) {
      others = service.node.bundle(other.strand(), TileBundle.BODIES, 0, 20).bytes();
    }
    assertThat(mine).isNotEqualTo(others);
    try (TestNode service = new TestNode(disk, meta)) {
      for (int i = 0; i < 2; i++) {
        assertThat(service.node.bundle(STRAND, TileBundle.BODIES, 0, 20).bytes()).isEqualTo(mine);
        assertThat(service.node.bundle(other.strand(), TileBundle.BODIES, 0, 20).bytes())
            .isEqualTo(others);
      }
    }
  }

  @Test
  void failsTheSameWayHoweverOftenAnUnreadableIndexIsAskedFor() throws Exception {
    Digest root;
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.single(1));
      root = service.node.newestBlock(STRAND).root();
    }
    try (TestNode service = new TestNode(disk, meta)) {
      meta.unreadable.addAll(meta.arrayRowsWith(root));
      assertThat(meta.unreadable).hasSize(1);
      assertRefused(RejectionCode.UNAVAILABLE, () -> service.node.journal(STRAND, 1, false));
      assertRefused(RejectionCode.UNAVAILABLE, () -> service.node.journal(STRAND, 1, false));
      meta.unreadable.clear();
      assertThat(service.node.journal(STRAND, 1, false).jsn()).isEqualTo(1);
    }
  }

  /// Rows with good checksums, in another ledger's place.
  @ParameterizedTest
  @ValueSource(strings = {"accumulator/", "array/"})
  void refusesTheRowsOfAnotherLedgerOfTheSameSize(String kind) throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 1);
    Digest root;
    Digest otherRoot;
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.found(other);
      root = service.node.newestBlock(STRAND).root();
      otherRoot = service.node.newestBlock(other.strand()).root();
    }
    Bytes rows = Objects.requireNonNull(meta.rows.get(meta.rowsWith(kind, otherRoot).getFirst()));
    meta.rows.write(new MetaBatch().put(meta.rowsWith(kind, root).getFirst(), rows));
    try (TestNode service = new TestNode(disk, meta)) {
      assertRefused(RejectionCode.DAMAGED, () -> service.node.journal(STRAND, 0, false));
      assertThat(service.node.checkpoint(other.strand())).isNotEmpty();
    }
  }

  /// Nothing else would tell that members were revoked, or clues turned on.
  @Test
  void refusesToStartWithAFlippedBitInAStrandsRow() throws Exception {
    Digest root;
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      root = service.node.newestBlock(STRAND).root();
    }
    Bytes key = meta.rowsWith("h", root).getFirst();
    byte[] row = Objects.requireNonNull(meta.rows.get(key)).toArray();
    row[3] ^= 1; // governed
    meta.rows.write(new MetaBatch().put(key, Bytes.wrap(row)));
    assertThatThrownBy(() -> new TestNode(disk, meta).close())
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("checksum of the strand row")
        .hasMessageContaining(key.hex());
  }

  /// Proofs in a tree of that size were asked of an accumulator that is shorter.
  @Test
  void refusesTheNewestBlockOfALongerLog() throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 1);
    Digest root;
    Digest otherRoot;
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.found(other);
      service.append(service.fixtures.single(1));
      service.append(other, other.batch(10, 7));
      root = service.node.newestBlock(STRAND).root();
      otherRoot = service.node.newestBlock(other.strand()).root();
    }
    Bytes rows = Objects.requireNonNull(meta.rows.get(meta.arrayRowsWith(otherRoot).getFirst()));
    meta.rows.write(new MetaBatch().put(meta.arrayRowsWith(root).getFirst(), rows));
    try (TestNode service = new TestNode(disk, meta)) {
      assertRefused(RejectionCode.DAMAGED, () -> service.node.newestBlock(STRAND));
      assertRefused(RejectionCode.DAMAGED, () -> service.node.receipt(STRAND, 2));
      assertRefused(RejectionCode.DAMAGED, () -> service.node.clue(STRAND, OTHER));
      assertRefused(
          RejectionCode.DAMAGED, () -> service.node.lineage(STRAND, LineageQuery.all(OTHER)));
      assertThat(service.node.newestBlock(other.strand()).root()).isEqualTo(otherRoot);
    }
  }

  @Test
  void refusesALeafThatNoBlockHoldsAccordingToTheRows() throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 1);
    Digest root;
    Digest otherRoot;
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.found(other);
      for (int i = 1; i < 5; i++) {
        service.append(service.fixtures.single(i));
        service.append(other, other.batch(10 * i, 7));
      }
      root = service.node.newestBlock(STRAND).root();
      otherRoot = service.node.newestBlock(other.strand()).root();
    }
    Bytes key = meta.arrayRowsWith(root).getFirst();
    byte[] rows = Objects.requireNonNull(meta.rows.get(key)).toArray();
    Bytes others = Objects.requireNonNull(meta.rows.get(meta.arrayRowsWith(otherRoot).getFirst()));
    assertThat(rows).hasSize(others.size());
    // The third of five blocks begins at 10 now, so leaf 4 seems to be in block 1, which ends at 3.
    int third = rows.length - 3 * BlockRow.BYTES;
    System.arraycopy(others.toArray(), third, rows, third, BlockRow.BYTES);
    meta.rows.write(new MetaBatch().put(key, Bytes.wrap(rows)));
    try (TestNode service = new TestNode(disk, meta)) {
      for (long jsn = 0; jsn < 4; jsn++) {
        assertThat(service.node.journal(STRAND, jsn, false).jsn()).isEqualTo(jsn);
      }
      for (long jsn = 4; jsn < 10; jsn++) {
        long at = jsn;
        assertRefused(RejectionCode.DAMAGED, () -> service.node.journal(STRAND, at, false));
      }
    }
  }

  @Test
  void refusesAJournalWhereAMisdirectedWriteLeftAWholeBlockOfFewerJournals() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.batch(1, 7));
      service.append(service.fixtures.single(8));
      StoredStream stream = new StoredStream(disk);
      StoredStream.Frame seven = frameOf(stream, 7);
      byte[] one = stream.infos(frameOf(stream, 1));
      int start = block(one).offset();
      byte[] whole =
          Arrays.copyOfRange(one, start, start + ByteBuffer.wrap(one).getInt(start + 64));
      disk.overwrite(seven.segment(), seven.infos() + block(stream.infos(seven)).offset(), whole);
      for (long jsn = 2; jsn < 9; jsn++) {
        long at = jsn;
        assertRefused(RejectionCode.DAMAGED, () -> service.node.journal(STRAND, at, false));
      }
    }
  }

  private static BlockInfo block(byte[] infos) {
    return new CommitFrame(infos, 0).blocks().getFirst();
  }

  /// The frame of the newest block of so many journals.
  private static StoredStream.Frame frameOf(StoredStream stream, int journals) throws IOException {
    StoredStream.Frame found = null;
    for (StoredStream.Frame frame : stream.frames()) {
      List<BlockInfo> blocks = new CommitFrame(stream.infos(frame), 0).blocks();
      if (!blocks.isEmpty() && blocks.getFirst().journals() == journals) {
        found = frame;
      }
    }
    return Objects.requireNonNull(found);
  }
}
