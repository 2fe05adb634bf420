package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Seeded;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what is exported is a log to any auditor, and nothing in it can be changed unseen. Method:
/// a log of three bundles, the second of which begins within a batch, is written to a folder and
/// audited from there; then files are changed, cut, lengthened or taken away. That foreign tools
/// read it as well is shown in `conformance/`.
class TileExportTest {
  private static final Fixtures FIXTURES = Logs.FIXTURES;

  @TempDir private static Path exported;
  private static ReferenceLedger ledger;

  @BeforeAll
  static void export() throws Exception {
    ledger =
        Logs.sample().append(FIXTURES.batch(100, 500)).seal().append(FIXTURES.single(99)).seal();
    export(ledger, exported, true);
  }

  private static long export(ReferenceLedger log, Path folder, boolean bodies) throws Exception {
    try (TileExport export = new TileExport(folder, bodies, AuditProgress.NONE)) {
      return export.write(MemoryLog.of(log)).size();
    }
  }

  private static AuditReport audit(Path folder) {
    return Logs.audit(new TileLogSource(new FolderTiles(folder), true));
  }

  @Test
  void anExportedLogPassesTheAuditAsTheLogItself() {
    AuditReport report = audit(exported);
    AuditReport direct = Logs.audit(ledger);
    assertThat(report.faults()).isEmpty();
    assertThat(report.root()).isEqualTo(direct.root());
    assertThat(report.counts()).isEqualTo(direct.counts());
    assertThat(report.checkpointVerified()).isTrue();
    assertThat(report.receiptVerified()).as("public files have no receipt").isFalse();
    assertThat(report.text()).contains("signed by the service, as checkpoint\n");
  }

  @Test
  void holdsTheFilesOfTheSpecification() throws Exception {
    try (Stream<Path> files = Files.walk(exported)) {
      assertThat(files.filter(Files::isRegularFile).map(exported::relativize).map(Path::toString))
          .containsExactlyInAnyOrder(
              "checkpoint",
              "tile/0/000",
              "tile/0/001",
              "tile/0/002.p/8",
              "tile/1/000.p/2",
              "tile/entries/000",
              "tile/entries/001",
              "tile/entries/002.p/8",
              "tile/attest/000",
              "tile/attest/001",
              "tile/attest/002.p/8",
              "bodies/000",
              "bodies/001",
              "bodies/002.p/8");
    }
  }

  @Test
  void bundlesHaveTheBytesOfTheirPage() throws Exception {
    String page = Files.readString(Path.of("../docs/formats/tiles.md"));
    List<String> examples =
        Pattern.compile("```hex\n(.*?)```", Pattern.DOTALL)
            .matcher(page)
            .results()
            .map(block -> block.group(1).replaceAll("\\s", ""))
            .toList();
    List<Bytes> items = List.of(Bytes.fromHex("a1a2"), Bytes.EMPTY, Bytes.fromHex("c1"));
    assertThat(examples)
        .containsExactly(
            TileBundle.ENTRIES.encode(items).hex(), TileBundle.ATTESTATIONS.encode(items).hex());
  }

  @Test
  void withoutBodiesTheRestIsAudited(@TempDir Path folder) throws Exception {
    export(ledger, folder, false);
    assertThat(folder.resolve("bodies")).doesNotExist();
    LogSource source = new TileLogSource(new FolderTiles(folder), false);
    AuditReport report = Logs.audit(source, Logs.OPTIONS.withoutBodies());
    assertThat(report.faults()).isEmpty();
    assertThat(report.bodiesChecked()).isFalse();
    Logs.assertFault(source, 2, FaultKind.BODY_MISSING);
    Logs.assertFault(new TileLogSource(new FolderTiles(folder), true), 0, FaultKind.LOG_TRUNCATED);
  }

  @Test
  void aLaterExportGoesOverAnEarlierOne(@TempDir Path folder) throws Exception {
    export(Logs.sample(), folder, true);
    assertThat(audit(folder).size().value()).isEqualTo(Logs.SIZE);
    long size = export(ledger, folder, true);
    assertThat(audit(folder).faults()).isEmpty();
    assertThat(audit(folder).size().value()).isEqualTo(size);
  }

  @Test
  void refusesASourceWhoseLeavesAreNotThoseOfItsCheckpoint(@TempDir Path folder) {
    MemoryLog changed = MemoryLog.of(ledger).withEnd(Logs.sample().checkpoint(), Bytes.EMPTY);
    try (TileExport export = new TileExport(folder, true, AuditProgress.NONE)) {
      assertThatThrownBy(() -> export.write(changed))
          .isInstanceOf(LogFormatException.class)
          .hasMessageContaining("the checkpoint is of size 17");
    }
    assertThat(folder.resolve("checkpoint")).as("written last").doesNotExist();
  }

  @Test
  void aMissingFileIsATruncatedLog(@TempDir Path folder) throws Exception {
    copy(folder);
    Files.delete(folder.resolve("tile/entries/001"));
    AuditReport report = audit(folder);
    assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.LOG_TRUNCATED);
    assertThat(report.firstFault().orElseThrow().detail()).contains("tile/entries/001");
  }

  @Test
  void aPartialFileMayHaveMadeWayForTheFullOne(@TempDir Path folder) throws Exception {
    copy(folder);
    for (String kind : new String[] {"tile/entries", "tile/attest", "bodies"}) {
      Path partial = folder.resolve(kind + "/002.p/8");
      byte[] full = Files.readAllBytes(partial);
      byte[] rest = new byte[(kind.equals("tile/entries") ? 2 : 4) * 248];
      Files.write(folder.resolve(kind + "/002"), full);
      Files.write(folder.resolve(kind + "/002"), rest, StandardOpenOption.APPEND);
      Files.delete(partial);
    }
    assertThat(audit(folder).faults()).isEmpty();
  }

  @Test
  void aBundleIsCompleteInItself(@TempDir Path folder) throws Exception {
    copy(folder);
    Path file = folder.resolve("tile/attest/001");
    TileItems items = TileBundle.ATTESTATIONS.decode(Bytes.wrap(Files.readAllBytes(file)), 256);
    assertThat(items.size(0)).as("it begins within a batch").isPositive();
    List<Bytes> changed = new ArrayList<>();
    changed.add(Bytes.EMPTY);
    for (int i = 1; i < items.count(); i++) {
      changed.add(items.item(i));
    }
    Files.write(file, TileBundle.ATTESTATIONS.encode(changed).toArray());
    Logs.assertFault(
        new TileLogSource(new FolderTiles(folder), true), 256, FaultKind.LOG_MALFORMED);
  }

  /// What an auditor reads: hash tiles it computes itself.
  @Seeded(runs = 40)
  void noByteAnAuditorReadsCanBeChanged(SplittableRandom random, @TempDir Path folder)
      throws Exception {
    copy(folder);
    List<Path> read;
    try (Stream<Path> files = Files.walk(folder)) {
      read =
          files
              .filter(Files::isRegularFile)
              .filter(file -> !folder.relativize(file).toString().matches("tile/[0-9].*"))
              .sorted()
              .toList();
    }
    Path file = read.get(random.nextInt(read.size()));
    byte[] content = Files.readAllBytes(file);
    Files.write(file, damaged(content, random));
    assertThat(audit(folder).firstFault()).as(file + " was damaged").isPresent();
  }

  private static byte[] damaged(byte[] content, SplittableRandom random) {
    switch (random.nextInt(3)) {
      case 0 -> {
        return Arrays.copyOf(content, random.nextInt(content.length));
      }
      case 1 -> {
        return Arrays.copyOf(content, content.length + 1 + random.nextInt(9));
      }
      default -> {
        byte[] flipped = content.clone();
        flipped[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
        return flipped;
      }
    }
  }

  private static void copy(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(exported)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = folder.resolve(exported.relativize(file));
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }
}
