package io.tallystick.audit.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.ClueLogs;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.StateLogs;
import io.tallystick.audit.TamperingTest;
import io.tallystick.audit.TimeLogs;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Goal: the pass over plain chunks accepts nothing that the careful check would blame, and finds
/// the same. Method: both on the same chunk, as it is and after a change of any byte, length or
/// body state.
class ChunkScanTest {
  private static final long SEED = 20_261_121;

  /// Genesis, seal; Alice, a batch of three by Alice, seal; Alice about two clues, seal.
  private final List<LogEntry> entries =
      MemoryLog.of(
              ReferenceLedger.found(Logs.FIXTURES)
                  .append(Logs.FIXTURES.single(1))
                  .append(Logs.FIXTURES.batch(10, 3))
                  .seal()
                  .append(Logs.FIXTURES.clued(20, "a", "invoice 7"))
                  .seal())
          .entries();

  @Test
  void takesTheChunksOfARightLog() throws Exception {
    assertThat(new ChunkScan(context(true)).check(chunk(entries))).isNotNull();
    assertThat(new ChunkScan(context(false)).check(chunk(entries))).isNotNull();
    assertAgrees(entries, "as it is");
  }

  @Test
  void acceptsNoChangedByteThatTheCarefulCheckWouldBlame() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int entry = 2; entry < entries.size(); entry++) {
      for (int at = 0; at < entries.get(entry).sizeBytes(); at += Effort.of(11, 1)) {
        int changed = at;
        int first = random.nextInt(1, 256);
        for (int difference : new int[] {1, first}) {
          List<LogEntry> other = with(entry, value -> changed(value, changed, difference));
          assertAgrees(other, "entry " + entry + ", byte " + at + ", seed " + SEED);
        }
      }
    }
  }

  @Test
  void acceptsNoChangedLengthThatTheCarefulCheckWouldBlame() throws Exception {
    for (int entry = 1; entry < entries.size(); entry++) {
      for (int field = 0; field < 4; field++) {
        for (int by = -1; by <= 1; by++) {
          int which = field;
          int difference = by;
          assertAgrees(
              with(entry, value -> resized(value, which, difference)),
              "entry " + entry + ", field " + field + " by " + by);
        }
      }
    }
  }

  @Test
  void acceptsNoBodyStateThatTheCarefulCheckWouldBlame() throws Exception {
    for (int entry = 1; entry < entries.size(); entry++) {
      for (BodyState state : BodyState.values()) {
        assertAgrees(
            with(
                entry,
                value ->
                    new LogEntry(
                        value.leaf(), value.attestation(), state, value.salt(), value.body())),
            "entry " + entry + " as " + state);
        assertAgrees(
            with(entry, value -> MemoryLog.bodiless(value, state)),
            "entry " + entry + " without body as " + state);
      }
    }
  }

  @Test
  void acceptsNoMissingOrRepeatedEntryThatTheCarefulCheckWouldBlame() throws Exception {
    for (int entry = 1; entry < entries.size(); entry++) {
      List<LogEntry> fewer = new ArrayList<>(entries);
      fewer.remove(entry);
      assertAgrees(fewer, "without entry " + entry);
      List<LogEntry> more = new ArrayList<>(entries);
      more.add(entry, entries.get(entry));
      assertAgrees(more, "entry " + entry + " twice");
    }
  }

  @Test
  void acceptsNoSaltThatTheCarefulCheckWouldBlame() throws Exception {
    Bytes salt = Fixtures.bytes32("one salt");
    List<SignedRequest> same =
        List.of(TamperingTest.salted(31, salt), TamperingTest.salted(32, salt));
    assertBlamed(Logs.FIXTURES.submission(same, Fixtures.ALICE));
    SignedRequest bare = TamperingTest.salted(30, Digest.ZERO.toBytes());
    assertBlamed(Logs.FIXTURES.submission(bare, Fixtures.ALICE));
  }

  @Test
  void acceptsNoRequestTwiceInABatch() throws Exception {
    SignedRequest request = Logs.FIXTURES.request(40);
    List<LogEntry> log = log(Logs.FIXTURES.submission(List.of(request, request), Fixtures.ALICE));
    assertThat(new ChunkScan(context(false)).check(chunk(log))).isNull();
    assertAgrees(log, "one request twice");
  }

  private void assertBlamed(Submission submission) throws Exception {
    List<LogEntry> log = log(submission);
    assertThat(ChunkCheck.check(chunk(log), context(true)).faults()).isNotEmpty();
    assertAgrees(log, "salts");
  }

  private static List<LogEntry> log(Submission submission) {
    return MemoryLog.of(ReferenceLedger.found(Logs.FIXTURES).append(submission).seal()).entries();
  }

  @Test
  void takesChangesOfMembersAndTimeJournals() throws Exception {
    List<LogEntry> members = MemoryLog.of(Logs.sample()).entries();
    assertThat(new ChunkScan(context(true)).check(chunk(members))).isNotNull();
    assertAgrees(members, "with changes of members");
    ReferenceLedger log = ReferenceLedger.found(Logs.FIXTURES);
    TimeLogs.anchor(log, 2, Optional.empty(), Fixtures.TIME_MS + 5).seal();
    List<LogEntry> time = MemoryLog.of(log.append(Logs.FIXTURES.single(1)).seal()).entries();
    assertThat(new ChunkScan(context(true)).check(chunk(time))).isNotNull();
    assertAgrees(time, "with a time journal");
  }

  /// A log with erased bodies must not cost more than one without.
  @Test
  void takesErasedBodies() throws Exception {
    List<LogEntry> log = new ArrayList<>(entries);
    for (int jsn : new int[] {2, 4, 7}) {
      log.set(jsn, MemoryLog.bodiless(log.get(jsn), BodyState.ERASED));
    }
    CheckedChunk scanned = new ChunkScan(context(true)).check(chunk(log));
    LeafRow leaves = Objects.requireNonNull(scanned, "left to the careful check").leaves();
    assertThat(leaves.erased(4)).isTrue();
    assertThat(leaves.erased(3)).isFalse();
    assertAgrees(log, "with erased bodies");
  }

  /// Right, but rare: the careful check has to say so.
  @Test
  void leavesWhatIsRareToTheCarefulCheck() throws Exception {
    List<LogEntry> all =
        MemoryLog.of(
                ReferenceLedger.found(ClueLogs.FIXTURES)
                    .append(ClueLogs.FIXTURES.clueDelete(1, "a"))
                    .seal())
            .entries();
    assertThat(new ChunkScan(context(true)).check(chunk(all))).isNull();
  }

  private void assertAgrees(List<LogEntry> log, String what) throws Exception {
    for (boolean bodies : new boolean[] {true, false}) {
      AuditContext context = context(bodies);
      CheckedChunk scanned = new ChunkScan(context).check(chunk(log));
      if (scanned == null) {
        continue;
      }
      CheckedChunk want = ChunkCheck.check(chunk(log), context);
      assertThat(want.fatal()).as(what).isNull();
      assertThat(want.faults()).as(what).isEmpty();
      assertThat(scanned)
          .as(what)
          .usingRecursiveComparison()
          .ignoringFields("closing")
          .isEqualTo(want);
      assertThat(scanned.closing()).as(what).isEqualTo(want.closing());
    }
  }

  private List<LogEntry> with(int index, UnaryOperator<LogEntry> change) {
    List<LogEntry> changed = new ArrayList<>(entries);
    changed.set(index, change.apply(changed.get(index)));
    return changed;
  }

  private static LogEntry changed(LogEntry entry, int at, int difference) {
    List<Bytes> fields = new ArrayList<>(fields(entry));
    int rest = at;
    int field = 0;
    while (rest >= fields.get(field).size()) {
      rest -= fields.get(field).size();
      field++;
    }
    byte[] value = fields.get(field).toArray();
    value[rest] ^= (byte) difference;
    fields.set(field, Bytes.wrap(value));
    return entry(fields, entry.bodyState());
  }

  private static LogEntry resized(LogEntry entry, int field, int by) {
    List<Bytes> fields = new ArrayList<>(fields(entry));
    byte[] value = fields.get(field).toArray();
    fields.set(field, Bytes.copyOf(Arrays.copyOf(value, Math.max(0, value.length + by))));
    return entry(fields, entry.bodyState());
  }

  private static List<Bytes> fields(LogEntry entry) {
    return List.of(entry.leaf(), entry.attestation(), entry.salt(), entry.body());
  }

  private static LogEntry entry(List<Bytes> fields, BodyState state) {
    return new LogEntry(fields.get(0), fields.get(1), state, fields.get(2), fields.get(3));
  }

  private AuditContext context(boolean bodies) throws Exception {
    return AuditedGenesis.check(
        Logs.FIXTURES.strand(), entries.getFirst(), SignatureProviders.best(), bodies);
  }

  private static Chunk chunk(List<LogEntry> entries) {
    EntryRun run = new EntryRun();
    entries.forEach(run::add);
    return new Chunk(0, run, null, new LogEnd(Bytes.EMPTY, Bytes.EMPTY), null);
  }

  /// The pass over plain chunks takes operations, and nothing that the careful check would blame.
  @Test
  void agreesOnOperations() throws Exception {
    List<LogEntry> entries = MemoryLog.of(StateLogs.sample()).entries();
    for (boolean bodies : new boolean[] {true, false}) {
      AuditContext context =
          AuditedGenesis.check(
              StateLogs.FIXTURES.strand(), entries.getFirst(), SignatureProviders.best(), bodies);
      assertThat(agree(entries, context)).as("a right log is plain").isTrue();
      for (int entry = 2; entry < entries.size(); entry++) {
        Bytes ops = entries.get(entry).ops();
        for (int at = -1; at < ops.size(); at++) {
          List<LogEntry> other = new ArrayList<>(entries);
          byte[] changed = Arrays.copyOf(ops.toArray(), at < 0 ? 0 : ops.size());
          if (at >= 0) {
            changed[at] ^= 1;
          }
          other.set(entry, MemoryLog.withOps(entries.get(entry), Bytes.wrap(changed)));
          boolean same = ops.isEmpty();
          assertThat(agree(other, context)).as("entry %d, byte %d", entry, at).isEqualTo(same);
        }
      }
    }
  }

  /// @return whether the pass took the chunk
  private static boolean agree(List<LogEntry> entries, AuditContext context) {
    CheckedChunk scanned = new ChunkScan(context).check(chunk(entries));
    if (scanned != null) {
      CheckedChunk want = ChunkCheck.check(chunk(entries), context);
      assertThat(want.fatal()).isNull();
      assertThat(scanned).usingRecursiveComparison().ignoringFields("closing").isEqualTo(want);
    }
    return scanned != null;
  }
}
