package io.tallystick.audit;

import static io.tallystick.audit.PurgeLogs.FIXTURES;
import static io.tallystick.audit.PurgeLogs.purge;
import static io.tallystick.audit.PurgeLogs.snapshot;
import static io.tallystick.testkit.Fixtures.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.export.TileExport;
import io.tallystick.audit.export.TileExportTest;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.GossipOptions;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.TileFiles;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what is left of a purged log is exported, also over an export of the whole log, and
/// audited from where it begins; older heads are joined by its hash tiles. Method: a log of which a
/// bundle and some leaves are purged, told without these.
class PurgedTilesTest {
  @TempDir private static Path folder;

  private static ReferenceLedger log;
  private static PurgeLogs.Purged left;
  private static int firstKept;

  /// All below 265 is purged by 267; two blocks of ten follow.
  @BeforeAll
  static void export() throws Exception {
    log = ReferenceLedger.found(FIXTURES);
    for (int i = 0; i < 260; i++) {
      log.append(FIXTURES.single(i));
    }
    log.seal();
    log.append(FIXTURES.single(300)).seal();
    firstKept = log.size();
    log.append(FIXTURES.single(301)).seal();
    var _ = TileExportTest.export(MemoryLog.of(log), folder, true);
    Snapshot snapshot = snapshot(log, firstKept);
    log.append(purge(snapshot, ALICE)).seal();
    log.append(FIXTURES.single(302)).seal();
    left = PurgeLogs.without(log, firstKept + 2, snapshot);
    assertThat(export(left, folder).firstKept()).isEqualTo(firstKept);
  }

  private static TileExport.Exported export(LogSource source, Path target) throws Exception {
    try (TileExport export =
        new TileExport(target, true, SignatureProviders.best(), AuditProgress.NONE)) {
      return export.write(log.strand(), source);
    }
  }

  private static AuditReport audit(AuditOptions options) throws Exception {
    return audit(folder, options);
  }

  private static AuditReport audit(Path at, AuditOptions options) throws Exception {
    LogSource source = new TileLogSource(new FolderTiles(at), true);
    return Logs.AUDITOR.audit(FIXTURES.strand(), source, options);
  }

  @Test
  void whatIsLeftIsAudited() throws Exception {
    AuditReport report = audit(Logs.OPTIONS);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.root().digest()).isEqualTo(log.root());
    assertThat(report.removals().prefix().map(AuditedRemovals.Prefix::firstKept))
        .contains((long) firstKept);
  }

  @Test
  void holdsNothingThatThePurgeRemoved(@TempDir Path fresh) throws Exception {
    var _ = export(left, fresh);
    for (Path each : List.of(folder, fresh)) {
      for (String kind : List.of("tile/entries/000", "tile/attest/000", "bodies/000")) {
        assertThat(each.resolve(kind)).doesNotExist();
      }
      assertThat(each.resolve("tile/0/000")).exists();
      int width = log.size() - 256;
      TileItems bodies =
          TileBundle.BODIES.decode(
              Bytes.wrap(Files.readAllBytes(each.resolve("bodies/001.p/" + width))), width);
      for (int i = 0; i < firstKept - 256; i++) {
        assertThat(bodies.size(i)).isZero();
      }
      assertThat(bodies.size(firstKept - 256)).isPositive();
      assertThat(audit(each, Logs.OPTIONS).firstFault()).isEmpty();
    }
  }

  @Test
  void anExportIsExportedOn(@TempDir Path copy) throws Exception {
    var _ = export(new TileLogSource(new FolderTiles(folder), true), copy);
    assertThat(audit(copy, Logs.OPTIONS).firstFault()).isEmpty();
  }

  @Test
  void aPurgeThatWasTakenBackLeavesTheWholeLog(@TempDir Path fresh) throws Exception {
    var _ = export(left, fresh);
    assertThat(export(MemoryLog.of(log), fresh).firstKept()).isZero();
    assertThat(fresh.resolve("pseudo-genesis")).doesNotExist();
    assertThat(fresh.resolve("snapshot/window")).doesNotExist();
    AuditReport report = audit(fresh, Logs.OPTIONS);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.removals().prefix()).isEmpty();
  }

  @Test
  void aHashOfAPurgedLeafThatTheSnapshotDoesNotHaveIsRefused(@TempDir Path fresh) throws Exception {
    MemoryLog bent = MemoryLog.of(log).with(7, entry -> MemoryLog.of(log).entries().get(9));
    PurgeLogs.Purged source = new PurgeLogs.Purged(bent, left.start(), firstKept);
    assertThatThrownBy(() -> export(source, fresh))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageStartingWith("ROOT_MISMATCH")
        .hasMessageContaining("at size " + (firstKept - 1));
    assertThat(fresh.resolve("checkpoint")).doesNotExist();
  }

  @Test
  void aBodyBelowWhereTheLogBeginsIsRefused(@TempDir Path fresh) throws Exception {
    var _ = export(left, fresh);
    Path bodies = fresh.resolve("bodies/001.p/" + (log.size() - 256));
    byte[] right = Files.readAllBytes(bodies);
    byte[] wrong = new byte[right.length + 40];
    wrong[3] = 40; // the length of the first item, which was 0
    System.arraycopy(right, 4, wrong, 44, right.length - 4);
    Files.write(bodies, wrong);
    Optional<AuditFault> fault = audit(fresh, Logs.OPTIONS).firstFault();
    assertThat(fault.map(AuditFault::kind)).contains(FaultKind.LOG_MALFORMED);
    assertThat(fault.map(AuditFault::jsn)).contains((long) firstKept);
  }

  @Test
  void olderHeadsAreJoinedByTheTiles() throws Exception {
    for (int size : new int[] {2, 256, 263, firstKept}) {
      assertThat(audit(trusting(size, log.root(size))).firstFault()).as("size %d", size).isEmpty();
    }
    Optional<AuditFault> fault = audit(trusting(263, Digest.ZERO)).firstFault();
    assertThat(fault.map(AuditFault::kind)).contains(FaultKind.TRUSTED_HEAD_CONTRADICTED);
    assertThat(fault.map(AuditFault::jsn)).contains(262L);
    fault = audit(trusting(firstKept, Digest.ZERO)).firstFault();
    assertThat(fault.map(AuditFault::kind)).contains(FaultKind.TRUSTED_HEAD_CONTRADICTED);
    assertThat(fault.map(AuditFault::jsn)).contains(firstKept - 1L);
  }

  /// A tile across the place where the log begins has the hashes below it, which nobody has the
  /// leaves of. 265 leaves went: nine of them in the second tile, 256 as the first hash above.
  @Test
  void theHashesBelowAreThoseOfTheSnapshot() throws Exception {
    for (String tile : List.of("tile/0/001.p/" + (log.size() - 256), "tile/1/000.p/1")) {
      Path file = folder.resolve(tile);
      byte[] right = Files.readAllBytes(file);
      byte[] bent = right.clone();
      bent[5] ^= 1;
      Files.write(file, bent);
      AuditFault fault = audit(Logs.OPTIONS).firstFault().orElseThrow();
      Files.write(file, right);
      assertThat(fault.kind()).as(tile).isEqualTo(FaultKind.LOG_MALFORMED);
      assertThat(fault.jsn()).as(tile).isEqualTo(log.size());
    }
  }

  /// A leaf below can be changed only with its hash.
  @Test
  void aLeafBelowIsThatOfTheTree() throws Exception {
    Path leaves = folder.resolve("tile/entries/001.p/" + (log.size() - 256));
    byte[] right = Files.readAllBytes(leaves);
    byte[] bent = right.clone();
    bent[10] ^= 1;
    Files.write(leaves, bent);
    Optional<AuditFault> fault = audit(Logs.OPTIONS).firstFault();
    Files.write(leaves, right);
    assertThat(fault.map(AuditFault::kind)).contains(FaultKind.LOG_MALFORMED);
  }

  /// The bundle of 256 to 511 has leaves that are gone, too.
  @Test
  void aBundleThatIsGoneIsAFaultOfTheFirstLeafThatItShouldHold() throws Exception {
    TileFiles all = new FolderTiles(folder);
    TileFiles some =
        (path, most) ->
            path.startsWith("tile/attest/001") ? Optional.empty() : all.read(path, most);
    AuditFault fault =
        Logs.AUDITOR
            .audit(FIXTURES.strand(), new TileLogSource(some, true), Logs.OPTIONS)
            .firstFault()
            .orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.LOG_TRUNCATED);
    assertThat(fault.jsn()).isEqualTo(firstKept);
  }

  /// Also those that others have, and what witnesses cosigned.
  @Test
  void headsOfOthersAreJoinedByTheTiles() throws Exception {
    for (int size : new int[] {2, 256, 263}) {
      assertThat(heard(size, log.root(size)).firstFault()).as("size %d", size).isEmpty();
      assertThat(heard(size, log.root(size)).gossip().heads().getFirst().outcome())
          .isEqualTo(AuditGossip.Outcome.CONTAINED);
      AuditFault fault = heard(size, Digest.ZERO).firstFault().orElseThrow();
      assertThat(fault.kind()).isEqualTo(FaultKind.OTHER_HEAD_CONTRADICTED);
      assertThat(fault.jsn()).isEqualTo(size - 1);
    }
  }

  private static AuditReport heard(int size, Digest root) throws Exception {
    Bytes note = log.checkpoint(Fixtures.NOTE, size, root);
    OtherHead other = OtherHead.of("other", note, FIXTURES.strand());
    return audit(Logs.OPTIONS.withGossip(new GossipOptions(List.of(other), Optional.empty())));
  }

  private static AuditOptions trusting(int size, Digest root) {
    return Logs.OPTIONS.withTrustedHead(AuditorTest.head(size, root));
  }
}
