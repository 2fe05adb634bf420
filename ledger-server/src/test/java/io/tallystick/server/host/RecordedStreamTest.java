package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: streams and savepoints that earlier software has written are replayed to the same blocks,
/// heads and rows by all that comes after it. Method: shards that were stored by each version whose
/// bytes are others, and the same story as it is stored today.
class RecordedStreamTest {
  /// Each is a folder of the resources, made by the software of its time.
  private static final List<String> VERSIONS = List.of("1");

  /// Where today's is written.
  private static final String RECORD = "tallystick.record";

  static Stream<String> wholeOnes() {
    return VERSIONS.stream().map(version -> version + "/" + RecordedStory.WHOLE);
  }

  static Stream<String> all() {
    return Stream.concat(
        wholeOnes(), VERSIONS.stream().map(version -> version + "/" + RecordedStory.PURGED));
  }

  private static InputStream resource(String name) {
    return Objects.requireNonNull(
        RecordedStreamTest.class.getResourceAsStream("recorded/" + name), name);
  }

  private static RecordedShard stored(String name) throws IOException {
    return RecordedShard.read(resource(name + ".zip"));
  }

  private static List<String> facts(String name) throws IOException {
    try (InputStream in = resource(name + ".txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static List<String> replay(RecordedShard shard) throws Exception {
    try (TestNode service = RecordedStory.replayed(shard)) {
      return RecordedFacts.of(service);
    }
  }

  @ParameterizedTest
  @MethodSource("wholeOnes")
  void aStreamIsReplayedFromNothing(String name) throws Exception {
    assertThat(replay(stored(name).withoutIndexes())).isEqualTo(facts(name));
  }

  @ParameterizedTest
  @MethodSource("all")
  void aStreamIsReplayedFromASavepoint(String name) throws Exception {
    assertThat(replay(stored(name))).isEqualTo(facts(name));
  }

  @ParameterizedTest
  @MethodSource("wholeOnes")
  void everyKindOfJournalAndOfRowIsThere(String name) throws Exception {
    try (TestNode service = RecordedStory.replayed(stored(name))) {
      Set<Kind> kinds = EnumSet.noneOf(Kind.class);
      for (LedgerId id : service.node.shard().sequencer().ledgers(null)) {
        kinds.addAll(kinds(service.node, new StrandId(id, 0)));
      }
      assertThat(kinds).containsExactlyInAnyOrder(Kind.values());
    }
    // Rows b go when all is erased, rows I are a cluster's.
    for (String table : List.of("g", "n", "q", "x", "z", "R")) {
      String key = "row " + Integer.toHexString(table.charAt(0));
      assertThat(facts(name)).as(key).anyMatch(line -> line.startsWith(key));
    }
  }

  private static Set<Kind> kinds(LedgerNode node, StrandId strand) throws Exception {
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    node.readLog(
        strand,
        0,
        node.newestSize(strand),
        false,
        (_, leaf, _, _, _, _, _) -> {
          try {
            if (Leaf.decode(leaf) instanceof JournalLeaf journal) {
              kinds.add(RequestHeader.decode(journal.header()).kind());
            }
            return true;
          } catch (MalformedException e) {
            throw new AssertionError(e);
          }
        });
    return kinds;
  }

  @Test
  void whatIsStoredTodayIsReplayed() throws Exception {
    Map<String, RecordedShard> today = RecordedStory.tell();
    for (Map.Entry<String, RecordedShard> each : today.entrySet()) {
      List<String> facts = replay(each.getValue().copy());
      String folder = System.getProperty(RECORD);
      if (folder != null) {
        write(Files.createDirectories(Path.of(folder)), each.getKey(), each.getValue(), facts);
      }
      if (each.getKey().equals(RecordedStory.WHOLE)) {
        assertThat(replay(each.getValue().withoutIndexes())).isEqualTo(facts);
      }
    }
  }

  private static void write(Path folder, String name, RecordedShard shard, List<String> facts)
      throws IOException {
    try (OutputStream out = Files.newOutputStream(folder.resolve(name + ".zip"))) {
      shard.write(out);
    }
    Files.write(folder.resolve(name + ".txt"), facts);
  }
}
