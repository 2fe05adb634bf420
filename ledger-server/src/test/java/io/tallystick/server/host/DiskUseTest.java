package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.removal.Snapshot;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: disk use falls as `docs/operations.md`, "What a removal frees", says, within 5 %. Method:
/// a node on a real disk with RocksDB; du(1) of the whole data directory, the node stopped, before
/// and after a purge and an occult; what should be free is reckoned from sizes and counts alone.
class DiskUseTest {
  private static final int PAGE = 4096;

  /// Of a commit: what its header, its tables and a page that it does not fill keep, without 32
  /// bytes for each journal and submission. Numbers of the page.
  private static final int COMMIT_KEEPS = PAGE + 228;

  private static final int ROW = 32;

  private static final int KIB = 1 << 10;

  /// Large ones: a file with holes needs blocks for the list of its extents.
  private static final StreamSettings LARGE = new StreamSettings(2048 * KIB, 16 * KIB, 16 * KIB);

  private static final StreamSettings SMALL = new StreamSettings(128 * KIB, 16 * KIB, 16 * KIB);
  private static final double WITHIN = 0.05;

  @TempDir private Path data;
  private final SplittableRandom random = new SplittableRandom(20_261_126);
  private final Fixtures ledger = Fixtures.ledger();
  private final Fixtures other = Fixtures.ledger().withWindow(300_000);
  private long nowMs = Fixtures.TIME_MS;
  private StreamSettings segments = LARGE;
  private NodeOnDisk node;

  @BeforeEach
  void open() throws Exception {
    node = new NodeOnDisk(data, segments, TestNode.CONFIG, nowMs);
  }

  @AfterEach
  void close() throws Exception {
    node.close();
  }

  /// What the files of the data directory take, and those of the stream among them.
  private record DiskUse(long all, long stream) {
    DiskUse minus(DiskUse other) {
      return new DiskUse(all - other.all, stream - other.stream);
    }
  }

  /// Of the stopped node; started once more before, so that RocksDB has put its log in order.
  private DiskUse diskUse() throws Exception {
    close();
    open();
    close();
    DiskUse use = new DiskUse(NodeOnDisk.diskUse(data), NodeOnDisk.diskUse(data.resolve("stream")));
    open();
    return use;
  }

  /// @return the first jsn
  private long append(Submission submission) throws Exception {
    return node.service.append(ledger, submission).committed().firstJsn();
  }

  /// With bodies of some size on average: pages begin anywhere in them.
  private Submission batch(int journals, int bodyBytes) {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < journals; i++) {
      byte[] payload = new byte[bodyBytes * 3 / 4 + random.nextInt(bodyBytes / 2 + 1)];
      random.nextBytes(payload);
      byte[] salt = new byte[32];
      random.nextBytes(salt);
      requests.add(
          RequestDraft.append(
                  ledger.strand(), Bytes.wrap(payload), "a/b", ledger.timeMs(), Bytes.wrap(salt))
              .build());
    }
    return ledger.submission(requests, Fixtures.ALICE);
  }

  private long streamBytes() throws Exception {
    try (StreamReader stream = node.service.streams.openReader(new StreamId(0))) {
      return stream.segments().stream().mapToLong(StreamReader.Segment::bytes).sum();
    }
  }

  private Snapshot purge(long height) throws Exception {
    Snapshot snapshot =
        Snapshot.decode(
            node.service.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
    append(
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), height, snapshot.digest(), 0),
            Fixtures.ALICE));
    node.service.clock.set(++nowMs);
    append(ledger.single(1));
    OccultStory.awaitErased(node.service, 1);
    assertThat(OccultStory.done(node.service)).isEqualTo(1);
    return snapshot;
  }

  /// @param alone whether no other ledger keeps segments
  @ParameterizedTest
  @CsvSource({"true, 120, 20, 3000", "false, 120, 20, 3000", "true, 700, 1, 20"})
  void ofAPurge(boolean alone, int commits, int journals, int bodyBytes) throws Exception {
    if (journals == 1) {
      close();
      segments = SMALL;
      open();
    }
    if (!alone) {
      node.service.found(other);
    }
    node.service.found(ledger);
    for (int i = 0; i < commits; i++) {
      append(batch(journals, bodyBytes));
    }
    long commitBytes = streamBytes() / commits;
    DiskUse before = diskUse();
    long height = commits * 3L / 4;
    Snapshot snapshot = purge(height);
    DiskUse freed = before.minus(diskUse());

    long firstKept = snapshot.firstKept().value();
    long whole = (firstKept - firstKept % 256) / (journals + 1); // commits of which texts go too
    long tables = COMMIT_KEEPS + (long) ROW * (journals + 1);
    long zeroed = alone ? whole % (segments.segmentBytes() / commitBytes) : whole;
    long predicted = (whole - zeroed) * commitBytes + zeroed * Math.max(0, commitBytes - tables);
    long bodies = (long) journals * bodyBytes; // of the bundle across, in part
    predicted += (height - whole) * Math.max(0, bodies - PAGE);
    check(freed, predicted);
  }

  @Test
  void ofAnOccult() throws Exception {
    int journals = 20;
    int bodyBytes = 3_000;
    node.service.found(ledger);
    append(OccultStory.regulator(ledger));
    List<Long> firsts = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      firsts.add(append(batch(journals, bodyBytes)));
    }
    DiskUse before = diskUse();
    long written = streamBytes();
    int removals = 0;
    int commits = 0;
    for (int i = 5; i < 55; i += 5) { // five commits each, the last 15 journals of each
      long[] jsns =
          firsts.subList(i, i + 5).stream()
              .flatMapToLong(first -> LongStream.range(first + 5, first + journals))
              .toArray();
      append(OccultStory.occult(ledger, OccultStory.journals(node.service, ledger, jsns)));
      removals++;
      commits += 5;
    }
    OccultStory.awaitErased(node.service, removals);
    assertThat(OccultStory.done(node.service)).isEqualTo(removals);
    DiskUse freed = before.minus(diskUse());
    long predicted = commits * ((journals - 5L) * bodyBytes - PAGE);
    predicted -= streamBytes() - written; // the occults themselves
    check(freed, predicted);
  }

  /// Of a small run RocksDB's own ups and downs are more than the tolerance.
  private static void check(DiskUse freed, long predicted) {
    Offset<Long> tolerance = within((long) (predicted * WITHIN));
    assertThat(freed.stream).isCloseTo(predicted, tolerance);
    if (predicted > 1024 * KIB) {
      assertThat(freed.all).isCloseTo(predicted, tolerance);
    }
  }
}
