package io.tallystick.audit;

import static io.tallystick.audit.PurgeLogs.FIXTURES;
import static io.tallystick.audit.PurgeLogs.purge;
import static io.tallystick.audit.PurgeLogs.snapshot;
import static io.tallystick.testkit.Fixtures.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.tile.TileBundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the public files of a purged log are audited from where it begins, and older heads are
/// joined by its hash tiles. Method: the files of the whole log without those that a purge removes.
class PurgedTilesTest {
  @TempDir private static Path folder;

  private static ReferenceLedger log;
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
    Snapshot snapshot = snapshot(log, firstKept);
    log.append(purge(snapshot, ALICE)).seal();
    log.append(FIXTURES.single(302)).seal();
    try (TileExport export =
        new TileExport(folder, true, SignatureProviders.best(), AuditProgress.NONE)) {
      var _ = export.write(log.strand(), MemoryLog.of(log));
    }
    for (String kind : List.of("tile/entries/000", "tile/attest/000", "bodies/000")) {
      Files.delete(folder.resolve(kind));
    }
    withoutBodiesBelow(firstKept - 256);
    PurgedStart start = PurgeLogs.without(log, firstKept + 2, snapshot).start();
    Files.write(folder.resolve("pseudo-genesis"), start.pseudoGenesis().unsafeArray());
    Files.createDirectories(folder.resolve("snapshot"));
    Files.write(folder.resolve("snapshot/window"), start.window().unsafeArray());
  }

  private static void withoutBodiesBelow(int index) throws Exception {
    try (var found = Files.list(folder.resolve("bodies"))) {
      Path partial = found.findFirst().orElseThrow();
      int width = log.size() - 256;
      Path file = partial.resolve(Integer.toString(width));
      var items = TileBundle.BODIES.decode(Bytes.wrap(Files.readAllBytes(file)), width);
      List<Bytes> left = new ArrayList<>();
      for (int i = 0; i < width; i++) {
        left.add(i < index ? Bytes.EMPTY : items.item(i));
      }
      Files.write(file, TileBundle.BODIES.encode(left).unsafeArray());
    }
  }

  private static AuditReport audit(AuditOptions options) throws Exception {
    LogSource source = new TileLogSource(new FolderTiles(folder), true);
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

  private static AuditOptions trusting(int size, Digest root) {
    return Logs.OPTIONS.withTrustedHead(AuditorTest.head(size, root));
  }
}
