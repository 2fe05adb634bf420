package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerPurges;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.SavedCopy;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.FilePointer;
import io.tallystick.server.ship.SavepointManifest.Software;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/// A shard that has something of everything, chapter by chapter; what it has; and how it is shipped.
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
  private static final String SAME_ROWS = "lmefowygtku";

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
      TestNode node, SavepointStore store, FilePointer pointer, ShippedEnd end) {
    return new SavepointShipper(
        SHARD,
        node.node.shard().copies(),
        store,
        pointer,
        new SavepointShipper.Settings(CONFIG.shipping(), SOFTWARE, PIECE_BYTES),
        () -> java.time.Instant.ofEpochMilli(node.clock.get()),
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
      answers.put("checkpoint " + id, new String(node.node.checkpoint(strand), java.nio.charset.StandardCharsets.UTF_8));
      answers.put("head " + id, node.node.shard().indexer().strand(strand).head().toString());
      answers.put(
          "members " + id, node.node.shard().sequencer().head(id).members().find(Fixtures.CAROL.publicKey().kid()));
    }
    answers.put("notes", notes.read(node));
    List<Object> values = new ArrayList<>();
    for (long height = oldest(node); height <= newest(node); height++) {
      values.add(node.node.state(states.strand(), Bytes.utf8("key"), height, true).answer());
    }
    answers.put("states", values);
    answers.put("clue", node.node.shard().indexer().strand(states.strand()).head().index(Feature.CLUE_TRIE));
    return answers;
  }

  private long newest(TestNode node) throws IOException {
    return node.node.shard().indexer().strand(states.strand()).head().blocks() - 1;
  }

  private long oldest(TestNode node) {
    return node.node.keptStates().stream()
        .filter(each -> each.ledger().equals(states.strand().ledger()))
        .mapToLong(each -> each.oldestHeight())
        .findFirst()
        .orElseThrow();
  }

  /// The rows of a closed shard that must be the same wherever it was.
  static Map<String, String> rows(MetaStore meta) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, value) -> {
          boolean oneLetter = key.size() > 32;
          if (oneLetter && SAME_ROWS.indexOf(key.toArray()[0]) >= 0 && !isWord(key)) {
            rows.put(key.hex(), value.hex());
          }
          return true;
        });
    assertThat(rows).isNotEmpty();
    return rows;
  }

  private static boolean isWord(Bytes key) {
    return key.size() > 1 && key.toArray()[1] >= 'a' && key.toArray()[1] <= 'z' && key.toArray()[2] >= 'a' && key.toArray()[2] <= 'z';
  }

  /// The rows of a fetched directory.
  static InMemoryMetaStore rowsOf(InMemoryDisk fetched) throws IOException {
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ListedRows.read(fetched.content("meta/" + ListedRows.NAME), meta);
    return meta;
  }

  static LocalStreamStore streams(Disk on) {
    return LocalStreamStore.openDeterministic(
        on, "stream", TestNode.SMALL_SEGMENTS, new Random(1));
  }

  /// A node on a fetched directory and the stream of another one.
  static TestNode open(InMemoryDisk fetched, InMemoryMetaStore rows, LocalStreamStore streams)
      throws Exception {
    return new TestNode(
        fetched,
        rows,
        streams,
        new io.tallystick.server.shard.LocalEpochs(rows, streams),
        CONFIG,
        new CpuBatchHasher(),
        Fixtures.RECEIPT);
  }
}
