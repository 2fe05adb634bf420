package io.tallystick.audit.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.export.TileExport.Exported;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEnd.Demanded;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.NoteKey;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Seeded;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
public class TileExportTest {
  private static final Fixtures FIXTURES = Logs.FIXTURES;

  @TempDir private static Path exported;
  private static ReferenceLedger ledger;

  @BeforeAll
  static void export() throws Exception {
    ledger =
        Logs.sample().append(FIXTURES.batch(100, 500)).seal().append(FIXTURES.single(99)).seal();
    export(ledger, exported, true);
  }

  private static Exported export(ReferenceLedger log, Path folder, boolean bodies)
      throws Exception {
    return export(MemoryLog.of(log), folder, bodies);
  }

  public static Exported export(MemoryLog log, Path folder, boolean bodies) throws Exception {
    Signatures signatures = SignatureProviders.best();
    try (TileExport export = new TileExport(folder, bodies, signatures, AuditProgress.NONE)) {
      return export.write(log.strand(), log);
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
    assertThat(AuditText.of(report)).contains("signed by the service, as checkpoint\n");
  }

  @Test
  void holdsTheFilesOfTheSpecification() throws Exception {
    try (Stream<Path> files = Files.walk(exported)) {
      assertThat(files.filter(Files::isRegularFile).map(exported::relativize).map(Path::toString))
          .containsExactlyInAnyOrder(
              "checkpoint",
              "origin",
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
    long size = export(ledger, folder, true).size();
    assertThat(audit(folder).faults()).isEmpty();
    assertThat(audit(folder).size().value()).isEqualTo(size);
  }

  @Test
  void printsTheVerifierKeyThatGenesisNames(@TempDir Path folder) throws Exception {
    Exported written = export(ledger, folder, false);
    String origin = "localhost/l/" + Logs.LEDGER.hex() + "/0";
    assertThat(written.verifierKey())
        .isEqualTo(new NoteKey(origin, Fixtures.NOTE.publicKey()).vkey());
    assertThat(written.root()).isEqualTo(ledger.root());
    assertThat(folder.resolve("origin")).hasContent(origin + "\n");
  }

  @Test
  void refusesAHeadThatIsNotTheServicesOverTheseLeaves(@TempDir Path folder) {
    Bytes[] notes = {
      Bytes.EMPTY,
      Logs.sample().checkpoint(),
      ledger.checkpoint(Fixtures.CAROL, ledger.size(), ledger.root()),
      ledger.checkpoint(Fixtures.NOTE, ledger.size(), Logs.sample().root()),
    };
    for (Bytes note : notes) {
      MemoryLog log = MemoryLog.of(ledger).withEnd(note, ledger.headReceipt());
      assertThatThrownBy(() -> export(log, folder, true))
          .as("%s", note)
          .isInstanceOf(ProofRejectedException.class);
      assertThat(folder.resolve("checkpoint")).as("written last").doesNotExist();
    }
  }

  @Test
  void refusesALogOfAnotherGenesisThanThePinned(@TempDir Path folder) {
    MemoryLog log = MemoryLog.of(ledger);
    ReferenceLedger other = ReferenceLedger.found(Fixtures.ledger(Fixtures.TIME_MS + 1));
    MemoryLog forged = new MemoryLog(log.strand(), MemoryLog.of(other).entries(), log.end());
    assertThatThrownBy(() -> export(forged, folder, true))
        .isInstanceOf(LogFormatException.class)
        .hasMessageContaining("WRONG_LEDGER");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void refusesAFolderThatIsNotItsOwn(@TempDir Path home) throws Exception {
    Path others = home.resolve("others");
    export(ReferenceLedger.found(Fixtures.ledger(Fixtures.TIME_MS + 1)), others, true);
    inTheWay(others, "holds the export of another ledger");
    Path strange = Files.createDirectory(home.resolve("strange"));
    Files.writeString(strange.resolve("letter.txt"), "");
    inTheWay(strange, "is not empty and holds no export");
    assertThat(strange.resolve("tile")).doesNotExist();
  }

  private static void inTheWay(Path folder, String why) throws Exception {
    List<Path> before = files(folder);
    assertThatThrownBy(() -> export(ledger, folder, true))
        .isInstanceOf(FileSystemException.class)
        .hasMessageStartingWith(folder + ": " + why);
    assertThat(files(folder)).isEqualTo(before);
  }

  @Test
  void refusesALogThatDoesNotContinueWhatWasExported(@TempDir Path home) throws Exception {
    Path shorter = home.resolve("shorter");
    export(ledger, shorter, true);
    contradicts(Logs.sample(), shorter, "ROLLBACK");
    Path forked = home.resolve("forked");
    export(Logs.sample().append(FIXTURES.single(98)).seal(), forked, true);
    contradicts(ledger, forked, "FORK");
  }

  private static void contradicts(ReferenceLedger log, Path folder, String reason)
      throws Exception {
    byte[] checkpoint = Files.readAllBytes(folder.resolve("checkpoint"));
    assertThatThrownBy(() -> export(log, folder, true))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageStartingWith(reason);
    assertThat(folder.resolve("checkpoint")).as("the evidence").hasBinaryContent(checkpoint);
  }

  @Test
  void neverOverwritesAFileThatIsNotWhatTheLogHas(@TempDir Path folder) throws Exception {
    export(ledger, folder, true);
    for (String name : new String[] {"tile/0/000", "tile/entries/001", "tile/attest/002.p/8"}) {
      Path file = folder.resolve(name);
      byte[] right = Files.readAllBytes(file);
      byte[] changed = right.clone();
      changed[right.length / 2] ^= 1;
      Files.write(file, changed);
      assertThatThrownBy(() -> export(ledger, folder, true))
          .isInstanceOf(ProofRejectedException.class)
          .hasMessageContaining(name);
      assertThat(file).hasBinaryContent(changed);
      Files.write(file, right);
    }
    Files.write(folder.resolve("bodies/000"), new byte[4]);
    export(ledger, folder, true);
    assertThat(audit(folder).faults()).as("what was erased leaves a later export").isEmpty();
  }

  @Test
  void aCheckpointThatWasForgedInTheFolderStopsTheExport(@TempDir Path folder) throws Exception {
    export(Logs.sample(), folder, true);
    Bytes forged = Logs.sample().checkpoint(Fixtures.CAROL, Logs.SIZE, Logs.sample().root());
    Files.write(folder.resolve("checkpoint"), forged.toArray());
    assertThatThrownBy(() -> export(ledger, folder, true))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("the checkpoint exported before");
  }

  /// Who lied once must not stop an honest export for ever.
  @Test
  void whatARefusedExportLeftBehindIsReplaced(@TempDir Path folder) throws Exception {
    ReferenceLedger other = Logs.sample();
    while (other.size() < ledger.size()) {
      other.append(FIXTURES.single(other.size() + 1_000)).seal();
    }
    MemoryLog liar = MemoryLog.of(other).withEnd(ledger.checkpoint(), ledger.headReceipt());
    assertThatThrownBy(() -> export(liar, folder, true)).isInstanceOf(ProofRejectedException.class);
    assertThat(folder.resolve("tile/entries/000")).exists();
    export(ledger, folder, true);
    assertThat(audit(folder).faults()).isEmpty();
  }

  @Test
  void noPartialFileKeepsWhatWasErasedSince(@TempDir Path folder) throws Exception {
    export(Logs.sample(), folder, true);
    Path partial = folder.resolve("bodies/000.p/" + Logs.SIZE);
    assertThat(partial).exists();
    export(ledger, folder, true);
    assertThat(partial).doesNotExist();
    assertThat(folder.resolve("bodies/002.p/8")).exists();
    export(ledger, folder, false);
    assertThat(folder.resolve("bodies/000")).doesNotExist();
    assertThat(folder.resolve("bodies/002.p/8")).doesNotExist();
  }

  @Test
  void aSealHasNoAttestationNotEvenThatOfTheBatchBefore(@TempDir Path folder) throws Exception {
    ReferenceLedger log = ReferenceLedger.found(FIXTURES).append(FIXTURES.batch(1, 254)).seal();
    assertThat(log.size()).as("the last leaf, a seal, begins a file").isEqualTo(257);
    export(log, folder, true);
    assertThat(audit(folder).faults()).isEmpty();
    TileItems first =
        TileBundle.ATTESTATIONS.decode(
            Bytes.wrap(Files.readAllBytes(folder.resolve("tile/attest/000"))), 256);
    Files.write(
        folder.resolve("tile/attest/001.p/1"),
        TileBundle.ATTESTATIONS.encode(List.of(first.item(2))).toArray());
    assertThat(audit(folder).faults()).isNotEmpty();
  }

  @Test
  void aBodyTheServiceCallsDamagedIsNotExportedAsAnErasedOne(@TempDir Path folder)
      throws Exception {
    MemoryLog log =
        MemoryLog.of(ledger).with(2, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    assertThatThrownBy(() -> export(log, folder, true))
        .isInstanceOf(LogFormatException.class)
        .hasMessage("the service says that body 2 is damaged");
    assertThat(export(log, folder, false).size()).as("bodies apart").isEqualTo(ledger.size());
  }

  /// Only what kind of source it is decides what is demanded of it.
  @Test
  void publicFilesMustHaveTheCheckpointThatOthersMayLack() {
    Bytes receipt = ledger.headReceipt();
    assertHead(new LogEnd(Bytes.EMPTY, receipt, Demanded.CHECKPOINT), FaultKind.HEAD_MISSING);
    assertHead(new LogEnd(Bytes.EMPTY, Bytes.EMPTY, Demanded.CHECKPOINT), FaultKind.HEAD_MISSING);
    assertHead(
        new LogEnd(Logs.sample().checkpoint(), Bytes.EMPTY, Demanded.CHECKPOINT),
        FaultKind.HEAD_INVALID);
    assertHead(new LogEnd(ledger.checkpoint(), Bytes.EMPTY), FaultKind.HEAD_MISSING);
    Bytes wrong = ledger.headReceipt(Fixtures.CAROL);
    assertHead(new LogEnd(ledger.checkpoint(), wrong, Demanded.CHECKPOINT), FaultKind.HEAD_INVALID);
  }

  private static void assertHead(LogEnd end, FaultKind kind) {
    MemoryLog log = MemoryLog.of(ledger);
    Logs.assertFault(
        new MemoryLog(log.strand(), log.entries(), end), log.entries().size() - 1, kind);
  }

  /// As the first audit would be continued after a week.
  @Test
  void anAuditGoesOnFromItsStatementWhereAFileBeginsWithinABatch(
      @TempDir Path folder, @TempDir Path state) throws Exception {
    AuditStatements statements =
        new AuditStatements(state, Fixtures.CAROL, AuditStatements.INTERVAL);
    export(Logs.sample().append(FIXTURES.batch(100, 500)).seal(), folder, true);
    LogSource source = new TileLogSource(new FolderTiles(folder), true);
    StrandId strand = ledger.strand();
    assertThat(Logs.AUDITOR.audit(strand, source, Logs.OPTIONS, statements).faults()).isEmpty();
    export(ledger, folder, true);
    AuditReport report = Logs.AUDITOR.audit(strand, source, Logs.OPTIONS, statements);
    assertThat(report.faults()).isEmpty();
    assertThat(report.resumedFrom()).isEqualTo(Logs.SIZE + 501);
    assertThat(report.root()).isEqualTo(Logs.audit(ledger).root());
  }

  @Test
  void saltAndBodyTooShortToBeAnyAreMalformed(@TempDir Path folder) throws Exception {
    copy(folder);
    Path file = folder.resolve("bodies/000");
    TileItems items = TileBundle.BODIES.decode(Bytes.wrap(Files.readAllBytes(file)), 256);
    List<Bytes> changed = new ArrayList<>();
    for (int i = 0; i < items.count(); i++) {
      changed.add(i == 1 ? Bytes.wrap(new byte[31]) : items.item(i));
    }
    Files.write(file, TileBundle.BODIES.encode(changed).toArray());
    Logs.assertFault(new TileLogSource(new FolderTiles(folder), true), 1, FaultKind.LOG_MALFORMED);
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
    for (String kind : new String[] {"tile/entries", "tile/attest", "bodies", "tile/0"}) {
      Path partial = folder.resolve(kind + "/002.p/8");
      byte[] full = Files.readAllBytes(partial);
      int bytes = kind.equals("tile/0") ? 32 : kind.equals("tile/entries") ? 2 : 4;
      byte[] rest = new byte[bytes * 248];
      Files.write(folder.resolve(kind + "/002"), full);
      Files.write(folder.resolve(kind + "/002"), rest, StandardOpenOption.APPEND);
      Files.delete(partial);
    }
    assertThat(audit(folder).faults()).isEmpty();
  }

  @Test
  void aWrongHashTileIsNamedBehindItsLeaves(@TempDir Path folder) throws Exception {
    copy(folder);
    Path file = folder.resolve("tile/0/001");
    byte[] tile = Files.readAllBytes(file);
    tile[5000] ^= 1;
    Files.write(file, tile);
    wrongTile(folder, 512, "tile/0/001 does not have the hashes of the leaves");
    Files.write(file, Arrays.copyOf(tile, 8191));
    wrongTile(folder, 512, "tile/0/001 has 8191 bytes, want 8192");
    Files.delete(file);
    AuditReport report = audit(folder);
    assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.LOG_TRUNCATED);
    assertThat(report.firstFault().orElseThrow().detail()).isEqualTo("there is no tile/0/001");
    copy(folder);
    Path above = folder.resolve("tile/1/000.p/2");
    byte[] roots = Files.readAllBytes(above);
    roots[63] ^= 1;
    Files.write(above, roots);
    wrongTile(folder, ledger.size(), "tile/1/000.p/2 does not have the hashes of the leaves");
  }

  private static void wrongTile(Path folder, long jsn, String says) {
    AuditFault fault = audit(folder).firstFault().orElseThrow();
    assertThat(fault).isEqualTo(new AuditFault(jsn, FaultKind.LOG_MALFORMED, says));
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

  /// All but whose folder it is, for which it does not ask.
  @Seeded(runs = 40)
  void noByteAnAuditorReadsCanBeChanged(SplittableRandom random, @TempDir Path folder)
      throws Exception {
    copy(folder);
    List<Path> read;
    try (Stream<Path> files = Files.walk(folder)) {
      read =
          files
              .filter(Files::isRegularFile)
              .filter(file -> !folder.relativize(file).toString().equals("origin"))
              .sorted()
              .toList();
    }
    Path file = read.get(random.nextInt(read.size()));
    byte[] content = Files.readAllBytes(file);
    Files.write(file, damaged(content, random));
    assertThat(audit(folder).firstFault()).as(file + " was damaged").isPresent();
  }

  private static byte[] damaged(byte[] content, SplittableRandom random) {
    return switch (random.nextInt(3)) {
      case 0 -> Arrays.copyOf(content, random.nextInt(content.length));
      case 1 -> Arrays.copyOf(content, content.length + 1 + random.nextInt(9));
      default -> {
        byte[] flipped = content.clone();
        flipped[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
        yield flipped;
      }
    };
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static void copy(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(exported)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = folder.resolve(exported.relativize(file));
        Files.createDirectories(target.getParent());
        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
