package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptState;
import io.tallystick.node.LedgerPurges;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.SavedCopy;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.SavepointFetcher;
import io.tallystick.server.ship.SavepointManifest.Software;
import io.tallystick.server.ship.SavepointPointer;
import io.tallystick.server.ship.SavepointShipper;
import io.tallystick.server.ship.SavepointStore;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.VersionLimits;
import io.tallystick.storage.meta.ListedRows;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/// A shard that has something of everything, chapter by chapter; what it has; and how it is
/// shipped.
final class ShippedStory {
  static final StreamId SHARD = new StreamId(0);
  static final Software SOFTWARE = new Software("test", 1);
  static final int PIECE_BYTES = 1024;
  static final int GONE = 777;

  /// A savepoint every few blocks; versions and partitions of states in savepoints and files.
  static final ShardConfig CONFIG =
      TestNode.CONFIG
          .withSavepointEvery(7, 3_600_000)
          .withStates(
              new ForestLimits(
                  1 << 20, 1 << 20, 2, 1 << 20, 4, new VersionLimits(6, Long.MAX_VALUE, 3)));

  /// Rows that depend on nothing but the log and the notes.
  private static final List<String> SAME_ROWS =
      List.of("l", "m", "e", "f", "o", "w", "y", "q", "t", "k", "u");

  final Fixtures states =
      Fixtures.ledger(Fixtures.TIME_MS + 1)
          .withFeatures(Set.of(Feature.CLUE_TRIE))
          .withSmallState();
  final Fixtures purged =
      Fixtures.ledger(Fixtures.TIME_MS + 2)
          .withFeatures(Set.of(Feature.CLUE_TRIE))
          .withSmallState();
  final NoteStory notes = new NoteStory();
  private NoteStory.Kept kept = NoteStory.Kept.NOTHING;
  private int number;

  static SavepointShipper shipper(
      TestNode node, SavepointStore store, SavepointPointer pointer, ShippedEnd end) {
    return shipper(node, store, pointer, end, PIECE_BYTES);
  }

  static SavepointShipper shipper(
      TestNode node,
      SavepointStore store,
      SavepointPointer pointer,
      ShippedEnd end,
      int pieceBytes) {
    return new SavepointShipper(
        SHARD,
        node.node.shard().copies(),
        store,
        pointer,
        new SavepointShipper.Settings(CONFIG.shipping(), SOFTWARE, pieceBytes),
        () -> Instant.ofEpochMilli(node.clock.get()),
        end);
  }

  static SavedCopy saved(TestNode node) throws Exception {
    return node.node.shard().copies().ask().get(30, TimeUnit.SECONDS);
  }

  static boolean ship(TestNode node, SavepointShipper shipper) throws Exception {
    try (SavedCopy copy = saved(node)) {
      return shipper.ship(copy);
    }
  }

  void found(TestNode node) throws Exception {
    node.found();
    node.found(states);
    node.found(purged);
  }

  /// Journals with clues and states.
  void write(TestNode node, Fixtures ledger, int blocks) throws Exception {
    for (int i = 0; i < blocks; i++) {
      node.append(ledger, ledger.clued(10_000 + number, "clue " + number % 3));
      node.append(
          ledger,
          ledger.writing(
              20_000 + number,
              DraftOp.put(Bytes.utf8("key " + number % 20), Bytes.utf8("value " + number)),
              DraftOp.put(Bytes.utf8("key"), Bytes.utf8("value " + number))));
      number++;
    }
  }

  void occult(TestNode node) throws Exception {
    node.append(states, OccultStory.regulator(states));
    long jsn = node.append(states, states.single(GONE)).committed().firstJsn();
    node.append(states, OccultStory.occult(states, OccultStory.journals(node, states, jsn)));
  }

  void purge(TestNode node) throws Exception {
    LedgerPurges purges = node.node.purges().orElseThrow();
    Snapshot snapshot = Snapshot.decode(purges.prepare(purged.strand(), 10, List.of()));
    node.append(
        purged,
        purged.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
            Fixtures.ALICE));
    node.clock.addAndGet(10);
    node.append(purged, purged.single(number++));
  }

  /// The next changes of notes.
  void note(TestNode node, int from, int to) throws Exception {
    for (NoteStory.Change change : notes.changes.subList(from, to)) {
      kept = change.ask(node, kept);
    }
  }

  /// What a shard answers: must be the same wherever it is.
  Map<String, Object> answers(TestNode node) throws Exception {
    Map<String, Object> answers = new TreeMap<>();
    for (Fixtures each : List.of(node.fixtures, states, purged)) {
      StrandId strand = each.strand();
      LedgerId id = strand.ledger();
      SealedHead head = node.node.shard().indexer().strand(strand).head();
      StrandHead sequenced = Objects.requireNonNull(node.node.shard().sequencer().head(id));
      answers.put("checkpoint " + id, Bytes.wrap(node.node.checkpoint(strand)));
      answers.put(
          "head " + id,
          List.of(
              head.size(),
              head.blocks(),
              head.timeMs(),
              head.blockHash(),
              head.index(Feature.CLUE_TRIE).root(),
              head.index(Feature.STATE_FOREST).root()));
      answers.put("member " + id, sequenced.members().find(Fixtures.CAROL.publicKey().kid()));
    }
    answers.put("notes", notes.read(node));
    return answers;
  }

  /// The values that a key had by all states that can be had, by height.
  NavigableMap<Long, String> values(TestNode node) throws Exception {
    NavigableMap<Long, String> values = new TreeMap<>();
    long blocks = node.node.shard().indexer().strand(states.strand()).head().blocks();
    for (long height = oldest(node); height < blocks; height++) {
      values.put(
          height,
          node.node.state(states.strand(), Bytes.utf8("key"), height, true).answer().toString());
    }
    return values;
  }

  private long oldest(TestNode node) {
    return node.node.keptStates().stream()
        .filter(each -> each.ledger().equals(states.strand().ledger()))
        .mapToLong(KeptState::oldestHeight)
        .findFirst()
        .orElseThrow();
  }

  /// The rows of a closed shard that depend on nothing but the log and the notes.
  static Map<String, String> rows(MetaStore meta) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    for (String letter : SAME_ROWS) {
      meta.scan(
          Bytes.utf8(letter),
          null,
          (key, value) -> {
            if (key.size() > Digest.BYTES) {
              rows.put(key.hex(), value.hex());
            }
            return true;
          });
    }
    assertThat(rows).isNotEmpty();
    return rows;
  }

  static SavepointFetcher fetcher(SavepointStore store, SavepointPointer pointer) {
    return new SavepointFetcher(
        SHARD, store, pointer, SOFTWARE, () -> Instant.ofEpochMilli(Fixtures.TIME_MS), 0);
  }

  /// The rows of a fetched directory.
  static InMemoryMetaStore rowsOf(InMemoryDisk fetched) throws IOException {
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ListedRows.read(fetched.content("meta/" + ListedRows.NAME), meta);
    return meta;
  }

  static LocalStreamStore streams(Disk on) {
    return LocalStreamStore.openDeterministic(on, "stream", TestNode.SMALL_SEGMENTS, new Random(1));
  }

  /// A node on a fetched directory and the stream of another one.
  static TestNode open(InMemoryDisk fetched, InMemoryMetaStore rows, LocalStreamStore streams)
      throws Exception {
    return new TestNode(
        fetched,
        rows,
        streams,
        new LocalEpochs(rows, streams),
        CONFIG,
        new CpuBatchHasher(),
        Fixtures.RECEIPT);
  }
}
