package io.tallystick.audit;

import static io.tallystick.audit.PurgeLogs.purge;
import static io.tallystick.audit.PurgeLogs.snapshot;
import static io.tallystick.audit.PurgeLogs.without;
import static io.tallystick.testkit.Fixtures.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.PurgeLogs.Purged;
import io.tallystick.audit.export.TileExport;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.replay.StateReplay;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestImage;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the state of a purged log goes on from the one that its source shows, which the seal
/// commits to, and no choice of the fold loses a value. Method: logs whose partitions hold 6
/// entries, so that a pass of the fold runs where the log begins, and what the source shows
/// changed.
class PurgedStateTest {
  private static final int BLOCKS_PURGED = 24;

  private static final int FOLD_AT = 8 + 4 + 8;
  private static final int FOLD_BYTES = 4 * 8;

  @TempDir private Path folder;

  /// A log of blocks with operations, purged behind so many of them, and what is left of it.
  private record Log(ReferenceLedger ledger, Purged left, int firstKept) {
    static Log of(int blocksPurged, long seed) {
      ReferenceLedger ledger = StateLogs.folding(cold(), blocksPurged, seed);
      int firstKept = ledger.size();
      Snapshot snapshot = snapshot(ledger, firstKept);
      for (int i = 0; i < 10; i++) {
        ledger.append(StateLogs.single(500 + i, StateLogs.put("key " + 2 * i, "kept " + i))).seal();
      }
      int purge = ledger.size();
      ledger.append(purge(StateLogs.FIXTURES, snapshot, ALICE)).seal();
      for (int i = 0; i < 20; i++) {
        ledger.append(StateLogs.single(600 + i, StateLogs.put("key " + i, "new " + i))).seal();
      }
      return of(ledger, purge, snapshot);
    }

    private static Log of(ReferenceLedger ledger, int purge, Snapshot snapshot) {
      int firstKept = (int) snapshot.firstKept().value();
      ReferenceForest forest = ledger.forestUpTo(firstKept);
      Purged left = without(ledger, purge, snapshot).withState(ReferenceForestImage.of(forest));
      return new Log(ledger, left, firstKept);
    }

    /// With values that nothing replaces: a fold has to carry them over.
    private static ReferenceLedger cold() {
      ReferenceLedger ledger = StateLogs.found();
      for (int i = 0; i < 22; i++) {
        String key = "cold " + i;
        ledger
            .append(
                StateLogs.single(10 + i, StateLogs.put(key, "1"), StateLogs.put(key + "b", "2")))
            .seal();
      }
      return ledger;
    }

    ReferenceForest forest() {
      return ledger.forestUpTo(firstKept);
    }
  }

  /// A pass runs where it begins, and has values before it in the oldest partition.
  private static Log foldingLog() throws Exception {
    for (int blocks = 1; blocks < 40; blocks++) {
      ReferenceLedger ledger = StateLogs.folding(Log.cold(), blocks, 7);
      ReferenceForest forest = ledger.forestUpTo(ledger.size());
      if (forest.fold().get(1) > 0 && positionsRefused(forest) > 0) {
        return Log.of(blocks, 7);
      }
    }
    throw new AssertionError("no pass runs where the log begins");
  }

  private static int positionsRefused(ReferenceForest forest) throws Exception {
    int refused = 0;
    for (long position = 0; position < StateLogs.PARAMS.entriesMax(); position++) {
      List<Long> fold = forest.fold();
      Bytes image =
          ReferenceForestImage.of(forest, List.of(fold.get(0), position, fold.get(2), fold.get(3)));
      try (StateReplay state = new StateReplay(StateLogs.PARAMS, ReplayMemory.defaults())) {
        state.readImage(new ByteArrayInputStream(image.toArray()), forest.root());
      } catch (MalformedException e) {
        assertThat(e).hasMessageContaining("the fold has passed key");
        assertThat(position).isGreaterThan(fold.get(1));
        refused++;
      }
    }
    return refused;
  }

  private Path export(Purged left, String name) throws Exception {
    Path target = folder.resolve(name);
    try (TileExport export =
        new TileExport(target, true, SignatureProviders.best(), AuditProgress.NONE)) {
      var _ = export.write(StateLogs.FIXTURES.strand(), left);
    }
    return target;
  }

  private static AuditReport auditOf(LogSource source) {
    return StateLogs.audit(source, Logs.OPTIONS);
  }

  @Test
  void theStateOfWhatWentGoesOn() throws Exception {
    Log log = foldingLog();
    AuditReport report = auditOf(log.left);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().operations()).isEqualTo(30);

    Path copy = folder.resolve("copy");
    var _ = LogCopy.save(log.left, copy);
    assertThat(Files.readAllBytes(copy)[11]).isEqualTo((byte) 4);
    assertThat(auditOf(new LogCopySource(copy)).firstFault()).isEmpty();
    assertThat(auditOf(new LogCopySource(copy)).counts()).isEqualTo(report.counts());

    Path exported = export(log.left, "exported");
    assertThat(Files.readAllBytes(exported.resolve("snapshot/state")))
        .isEqualTo(log.left.state().toArray());
    AuditReport files = auditOf(new TileLogSource(new FolderTiles(exported), true));
    assertThat(files.firstFault()).isEmpty();
    assertThat(files.counts().operations()).isEqualTo(report.counts().operations());
  }

  @Test
  void whatTheSealDoesNotCommitToIsRefused() throws Exception {
    Log log = foldingLog();
    byte[] right = log.left.state().toArray();
    List<Bytes> wrong = new ArrayList<>();
    wrong.add(Bytes.EMPTY);
    wrong.add(Bytes.wrap(right).slice(0, right.length - 1));
    wrong.add(Bytes.wrap(Arrays.copyOf(right, right.length + 1)));
    wrong.add(ReferenceForestImage.of(log.ledger.forestUpTo(log.firstKept + 2)));
    for (Bytes state : wrong) {
      AuditFault fault = auditOf(log.left.withState(state)).firstFault().orElseThrow();
      assertThat(fault.kind()).isEqualTo(FaultKind.PSEUDO_GENESIS_INVALID);
      assertThat(fault.detail()).startsWith("state of what was purged: ");
      String name = "wrong " + wrong.indexOf(state);
      assertThatThrownBy(() -> export(log.left.withState(state), name))
          .isInstanceOf(LogFormatException.class)
          .hasMessageContaining("state of what was purged");
    }
  }

  /// All but those of the fold, which no root has.
  @Test
  void everyChangedByteIsRefused() throws Exception {
    ReferenceForest forest = foldingLog().forest();
    byte[] right = ReferenceForestImage.of(forest).toArray();
    SplittableRandom random = new SplittableRandom(1);
    for (int at = 0; at < right.length; at += 1 + random.nextInt(3)) {
      if (at >= FOLD_AT && at < FOLD_AT + FOLD_BYTES) {
        continue;
      }
      byte[] bent = right.clone();
      bent[at] ^= (byte) (1 << random.nextInt(8));
      try (StateReplay state = new StateReplay(StateLogs.PARAMS, ReplayMemory.defaults())) {
        assertThatThrownBy(() -> state.readImage(new ByteArrayInputStream(bent), forest.root()))
            .as("byte %d", at)
            .isInstanceOf(MalformedException.class);
      }
    }
  }

  /// Had the fold passed a value that nobody else has, it would be dropped with its partition.
  @Test
  void aFoldThatPassesAValueIsRefused() throws Exception {
    assertThat(positionsRefused(foldingLog().forest())).isPositive();
  }

  @Test
  void aStateRootAndAPreconditionBehindThePurgeAreJudged() {
    ReferenceLedger ledger = StateLogs.folding(StateLogs.found(), BLOCKS_PURGED, 7);
    Snapshot snapshot = snapshot(ledger, ledger.size());
    ledger.append(purge(StateLogs.FIXTURES, snapshot, ALICE)).seal();
    int purge = ledger.size() - 2;

    ReferenceLedger ignored = ledger.copy();
    ignored.append(StateLogs.single(900, StateLogs.put("key 3", "x", StateLogs.version(1)))).seal();
    assertThat(auditOf(Log.of(ignored, purge, snapshot).left).firstFault().orElseThrow().kind())
        .isEqualTo(FaultKind.PRECONDITION_IGNORED);

    ReferenceLedger wrong = ledger.copy();
    wrong.append(StateLogs.single(901, StateLogs.put("key 3", "x")));
    wrong.seal(StateLogs.seal(wrong, Digest.ZERO));
    StateLogs.assertFault(
        Log.of(wrong, purge, snapshot).left, wrong.size() - 1L, FaultKind.WRONG_STATE_ROOT);
  }
}
