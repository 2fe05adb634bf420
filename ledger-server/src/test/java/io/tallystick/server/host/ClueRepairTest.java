package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LineageQuery;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.shard.IndexRepair;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: clues rebuilt while the service stands still are what they were, whatever was damaged and
/// wherever the rebuild was interrupted; until it is finished the service says so. Method: damage
/// what a node left, repair it, ask a node again, and compare with what it answered before.
class ClueRepairTest {
  private static final ShardConfig CONFIG =
      TestNode.CONFIG.withSavepointEvery(1_000_000, 3_600_000);
  private static final int CLUES = 5;

  // docs/formats/savepoint.md, "Block rows".
  private static final int CLUE_ROOT_OFFSET = 112;
  private static final int CRC_OFFSET = 276;

  private final List<Fixtures> ledgers =
      List.of(
          Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE)),
          Fixtures.ledger(Fixtures.TIME_MS + 1).withFeatures(Set.of(Feature.CLUE_TRIE)),
          Fixtures.ledger(Fixtures.TIME_MS + 2));
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private List<Object> want = List.of();

  /// What was heard of a rebuild.
  private static final class Heard implements IndexRebuild.Watch {
    private final List<StrandId> ended = new ArrayList<>();
    private long planned;
    private long newest;

    @Override
    public void planned(int strands, long leaves) {
      planned = leaves;
    }

    @Override
    public void isAt(StrandId strand, long leaves, long all) {
      assertThat(leaves).isBetween(1L, all);
      newest = leaves;
    }

    @Override
    public void ended(StrandId strand, IndexRebuild.Rebuilt rebuilt) {
      assertThat(rebuilt.leaves()).isEqualTo(newest);
      assertThat(rebuilt.lostNodes()).isZero();
      ended.add(strand);
    }
  }

  @BeforeEach
  void fill() throws Exception {
    try (TestNode node = new TestNode(disk, meta, CONFIG)) {
      for (Fixtures ledger : ledgers) {
        node.found(ledger);
      }
      for (int i = 0; i < 40; i++) {
        node.append(ledgers.get(0), ledgers.get(0).clued(i, "clue " + i % CLUES, "own " + i));
        node.append(ledgers.get(1), ledgers.get(1).clued(i, "clue " + i % CLUES));
        node.append(ledgers.get(2), ledgers.get(2).single(i));
      }
      want = answers(node);
    }
  }

  private List<Object> answers(TestNode node) throws Exception {
    List<Object> answers = new ArrayList<>();
    for (Fixtures ledger : ledgers) {
      answers.add(node.node.newestBlock(ledger.strand()));
    }
    for (Fixtures ledger : ledgers.subList(0, 2)) {
      for (int i = 0; i < CLUES; i++) {
        Digest id = Commitments.clueId(ledger.strand().ledger(), "clue " + i);
        answers.add(node.node.lineage(ledger.strand(), LineageQuery.all(id)));
      }
    }
    return answers;
  }

  private static int repair(
      Disk onDisk, MetaStore inMeta, @Nullable LedgerId only, IndexRebuild.Watch watch)
      throws Exception {
    try (LocalStreamStore streams =
        LocalStreamStore.openDeterministic(
            onDisk, "stream", TestNode.SMALL_SEGMENTS, new Random(1))) {
      ShardStorage storage =
          new ShardStorage(
              onDisk,
              inMeta,
              streams,
              new StreamId(0),
              new LocalEpochs(inMeta, streams),
              () -> Instant.ofEpochMilli(Fixtures.TIME_MS));
      HeadSigner signer =
          new HeadSigner(new Authority("localhost"), Fixtures.NOTE, Fixtures.RECEIPT);
      return new IndexRepair(storage, new CpuBatchHasher(), signer, Feature.CLUE_TRIE, watch)
          .run(only);
    }
  }

  private void assertRepaired(InMemoryDisk onDisk, InMemoryMetaStore inMeta) throws Exception {
    try (TestNode node = new TestNode(onDisk, inMeta, CONFIG)) {
      assertThat(answers(node)).isEqualTo(want);
      node.append(ledgers.get(0), ledgers.get(0).clued(100, "clue 1"));
      assertThat(node.clueRebuilds()).isZero();
    }
  }

  private static void zeroSlots(InMemoryDisk damaged) throws Exception {
    for (String name : damaged.names()) {
      if (name.endsWith(".slots")) {
        damaged.overwrite(name, 0, new byte[(int) damaged.size(name)]);
      }
    }
  }

  @Test
  void mendsAllLedgers() throws Exception {
    zeroSlots(disk);
    Heard heard = new Heard();
    assertThat(repair(disk, meta, null, heard)).isEqualTo(2);
    assertThat(heard.ended)
        .containsExactlyInAnyOrder(ledgers.get(0).strand(), ledgers.get(1).strand());
    assertThat(heard.planned).isEqualTo(2 * (2 + 2 * 40));
    assertRepaired(disk, meta);
  }

  /// The service itself cannot open these.
  @Test
  void mendsSlotFilesThatAreTooShort() throws Exception {
    disk.open("patricia/96.slots").truncate(96);
    assertThatThrownBy(() -> new TestNode(disk, meta, CONFIG))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("patricia/96.slots at 96");
    repair(disk, meta, null, IndexRebuild.Watch.NONE);
    assertRepaired(disk, meta);
  }

  @Test
  void mendsOneLedgerAndLeavesTheOthersAlone() throws Exception {
    Heard heard = new Heard();
    LedgerId only = ledgers.get(1).strand().ledger();
    assertThat(repair(disk, meta, only, heard)).isEqualTo(1);
    assertThat(heard.ended).containsExactly(ledgers.get(1).strand());
    assertRepaired(disk, meta);
  }

  @Test
  void findsNoLedgerThatHasNoClues() throws Exception {
    LedgerId plain = ledgers.get(2).strand().ledger();
    assertThat(repair(disk, meta, plain, IndexRebuild.Watch.NONE)).isZero();
    assertRepaired(disk, meta);
  }

  /// What works still, while only an old journal is damaged, is not thrown away.
  @Test
  void changesNothingIfTheJournalsAreNotThoseOfTheTree() throws Exception {
    StoredStream stream = new StoredStream(disk);
    for (StoredStream.Frame frame : stream.frames().subList(20, 23)) { // one of each ledger
      byte[] infos = stream.infos(frame);
      infos[infos.length - 1] ^= 1; // the last byte of a header
      disk.overwrite(frame.segment(), frame.infos(), infos);
    }
    assertThatThrownBy(() -> repair(disk, meta, null, IndexRebuild.Watch.NONE))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("has leaf hash");
    try (TestNode node = new TestNode(disk, meta, CONFIG)) {
      node.append(ledgers.get(0), ledgers.get(0).clued(100, "clue 1"));
      node.append(ledgers.get(1), ledgers.get(1).clued(100, "clue 1"));
      assertThat(node.clueRebuilds()).isZero();
    }
  }

  /// A block row that says another root than the journals make.
  @Test
  void namesTheFirstBlockThatDiffers() throws Exception {
    StrandId strand = ledgers.get(0).strand();
    Digest sealed = rootOf(strand, 7);
    InMemoryMetaStore rows = forged(meta, sealed, 7);
    assertThatThrownBy(() -> repair(disk, rows, strand.ledger(), IndexRebuild.Watch.NONE))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining(strand.toString())
        .hasMessageContaining("block 7 was sealed with clue root " + Digest.ZERO)
        .hasMessageContaining("its journals make " + sealed);
    try (TestNode node = new TestNode(disk, rows, CONFIG)) {
      assertNotFinished(node);
    }
  }

  private Digest rootOf(StrandId strand, long height) throws Exception {
    try (TestNode node = new TestNode(disk.copy(), meta.copy(), CONFIG)) {
      Bytes seal = node.node.blockAt(strand, height).sealLeaf();
      return ((SealLeaf) Leaf.decode(seal)).clueRoot();
    }
  }

  /// Rows in which one block row has another clue root, and a good checksum.
  private static InMemoryMetaStore forged(InMemoryMetaStore from, Digest root, long height)
      throws Exception {
    InMemoryMetaStore rows = from.copy();
    from.scan(
        Bytes.utf8("array/"),
        null,
        (key, value) -> {
          int at = value.hex().indexOf(root.hex()) / 2;
          if (at > 0 && key.hex().contains(Bytes.utf8("blocks").hex())) {
            byte[] array = value.toArray();
            Arrays.fill(array, at, at + Digest.BYTES, (byte) 0);
            int start = at - CLUE_ROOT_OFFSET;
            CRC32C crc = new CRC32C();
            crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, height));
            crc.update(array, start, CRC_OFFSET);
            ByteBuffer.wrap(array).putInt(start + CRC_OFFSET, (int) crc.getValue());
            rows.write(new MetaBatch().put(key, Bytes.wrap(array)));
          }
          return true;
        });
    return rows;
  }

  private void assertNotFinished(TestNode node) {
    assertThatThrownBy(() -> answers(node))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED))
        .hasMessageContaining("was not finished: run `tally rebuild --index clue`");
  }

  @Test
  void isStartedOverWhereverItWasInterrupted() throws Exception {
    zeroSlots(disk);
    CrashPlan clean = CrashPlan.never();
    repair(
        new CrashingDisk(disk, clean),
        new CrashingMetaStore(meta, clean),
        null,
        IndexRebuild.Watch.NONE);
    assertThat(clean.operations()).isGreaterThan(15);
    SplittableRandom random = new SplittableRandom(7);
    int unfinished = 0;
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk crashing = new CrashingDisk(disk, plan);
      CrashingMetaStore rows = new CrashingMetaStore(meta, plan);
      assertThatThrownBy(() -> repair(crashing, rows, null, IndexRebuild.Watch.NONE)).isNotNull();
      plan.crashNow();
      InMemoryDisk left = crashing.afterCrash();
      InMemoryMetaStore leftRows = rows.afterCrash();
      unfinished += assertRightOrRefused(left.copy(), leftRows.copy()) ? 1 : 0;
      repair(left, leftRows, null, IndexRebuild.Watch.NONE);
      assertRepaired(left, leftRows);
    }
    assertThat(unfinished).isGreaterThan(5);
  }

  /// @return whether the service said that a rebuild was not finished
  private boolean assertRightOrRefused(InMemoryDisk onDisk, InMemoryMetaStore inMeta)
      throws Exception {
    try (TestNode node = new TestNode(onDisk, inMeta, CONFIG)) {
      assertThat(answers(node)).isEqualTo(want);
      return false;
    } catch (RequestRejectedException refusal) {
      assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED);
      String why = String.valueOf(refusal.getMessage());
      boolean unfinished = why.contains("was not finished: run `tally rebuild");
      assertThat(unfinished || why.contains(".slots at ")).as(why).isTrue();
      return unfinished;
    }
  }
}
