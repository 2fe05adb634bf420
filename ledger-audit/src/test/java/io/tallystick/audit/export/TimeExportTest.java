package io.tallystick.audit.export;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.PurgeLogs;
import io.tallystick.audit.TimeLogs;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.StampedLog;
import io.tallystick.testkit.time.TestTimeAuthority;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: openssl alone verifies what is exported, by the commands that stand beside it, and refuses
/// it changed. Method: the commands, run in the exported folder.
class TimeExportTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("exported");
  private static final int FIRST = 2;
  private static final int SECOND = 6;

  @TempDir private Path home;

  private static StampedLog stamped() {
    StampedLog log = new StampedLog(ReferenceLedger.found(FIXTURES)).anchor(AUTHORITY);
    log.log().blocks(FIXTURES.single(1));
    return log.anchor(AUTHORITY);
  }

  private TimeExport.Exported export(Path folder, LogSource log) throws Exception {
    return new TimeExport(folder, SignatureProviders.best(), AuditProgress.NONE)
        .write(FIXTURES.strand(), log);
  }

  private Path exported() throws Exception {
    Path folder = home.resolve("tokens");
    export(folder, MemoryLog.of(stamped().log()));
    ca(folder, AUTHORITY);
    return folder;
  }

  private static void ca(Path folder, TestTimeAuthority authority) throws Exception {
    String base64 = Base64.getMimeEncoder().encodeToString(authority.root().getEncoded());
    Files.writeString(
        folder.resolve("ca.pem"),
        "-----BEGIN CERTIFICATE-----\n" + base64 + "\n-----END CERTIFICATE-----\n");
  }

  private static boolean accepted(Path folder, int jsn) throws Exception {
    String command =
        Files.readAllLines(folder.resolve(TimeExport.COMMANDS)).stream()
            .filter(line -> line.contains("-in " + jsn + ".tst "))
            .findFirst()
            .orElseThrow();
    Process process =
        new ProcessBuilder(List.of(command.split(" ")))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(Waiting.MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(said).contains(process.exitValue() == 0 ? "Verification: OK" : "FAILED");
    return process.exitValue() == 0;
  }

  @Test
  void opensslAloneVerifiesTheTokens() throws Exception {
    StampedLog log = stamped();
    Path folder = home.resolve("tokens");
    export(folder, MemoryLog.of(log.log()));
    ca(folder, AUTHORITY);
    assertThat(accepted(folder, FIRST)).isTrue();
    assertThat(accepted(folder, SECOND)).isTrue();
    assertThat(Files.readString(folder.resolve(SECOND + ".head")))
        .isEqualTo(
            String.format(
                Locale.ROOT,
                "localhost/l/%s/0\n6\n%s\n",
                FIXTURES.params().ledgerId(),
                Base64.getEncoder().encodeToString(log.log().root(SECOND).toArray())));
    assertThat(folder.toFile().list()).hasSize(6);
  }

  @Test
  void opensslRefusesThemChanged() throws Exception {
    Path folder = exported();
    Files.copy(folder.resolve(FIRST + ".tst"), folder.resolve("kept"));
    Path head = folder.resolve(SECOND + ".head");
    String lines = Files.readString(head);
    Files.writeString(head, lines.replace("\n6\n", "\n7\n"));
    assertThat(accepted(folder, SECOND)).isFalse();
    Files.writeString(head, lines);
    Path token = folder.resolve(SECOND + ".tst");
    byte[] whole = Files.readAllBytes(token);
    Files.copy(folder.resolve("kept"), token, StandardCopyOption.REPLACE_EXISTING);
    assertThat(accepted(folder, SECOND)).isFalse();
    byte[] bent = whole.clone();
    bent[bent.length - 1] ^= 1;
    Files.write(token, bent);
    assertThat(accepted(folder, SECOND)).isFalse();
    Files.write(token, whole);
    ca(folder, new TestTimeAuthority("stranger"));
    assertThat(accepted(folder, SECOND)).isFalse();
    ca(folder, AUTHORITY);
    assertThat(accepted(folder, SECOND)).isTrue();
  }

  @Test
  void countsWhatAnotherLedgerAnchors() throws Exception {
    StampedLog log =
        stamped()
            .anchor(
                new TimeProof.TLedger(
                    new LedgerId(Digest.ZERO),
                    Bytes.fromHex("00"),
                    Digest.ZERO.toBytes(),
                    Bytes.fromHex("00")));
    TimeExport.Exported exported = export(home.resolve("both"), MemoryLog.of(log.log()));
    assertThat(exported)
        .isEqualTo(new TimeExport.Exported(log.log().size(), log.log().root(), 2, 1));
  }

  /// The last token from below the purge stands in the snapshot, about a head that is gone.
  @Test
  void ofAPurgedLogTheTokenThatStaysIsWrittenToo() throws Exception {
    StampedLog log = stamped();
    ReferenceLedger purged = log.log();
    Snapshot snapshot = PurgeLogs.snapshot(purged, SECOND);
    purged.append(PurgeLogs.purge(snapshot, Fixtures.ALICE)).seal();
    PurgeLogs.Purged left = PurgeLogs.without(log.anchor(AUTHORITY).log(), SECOND + 2, snapshot);
    Path folder = home.resolve("purged");
    TimeExport.Exported exported = export(folder, left);
    assertThat(exported).isEqualTo(new TimeExport.Exported(purged.size(), purged.root(), 3, 0));
    ca(folder, AUTHORITY);
    for (int jsn : new int[] {FIRST, SECOND, SECOND + 4}) {
      assertThat(accepted(folder, jsn)).isTrue();
    }
  }

  @Test
  void refusesAHeadFromBelowAPurgeThatTheLogNeverHad() throws Exception {
    ReferenceLedger purged = stamped().log();
    Snapshot snapshot = PurgeLogs.snapshot(purged, SECOND);
    purged.append(PurgeLogs.purge(snapshot, Fixtures.ALICE)).seal();
    Extension.Time other =
        new Extension.Time(
            new TreeSize(4),
            new JournalRoot(purged.root(3)),
            Optional.empty(),
            new TimeProof.Token(Bytes.fromHex("30")));
    purged.append(TimeLogs.submission(other)).seal();
    PurgeLogs.Purged left = PurgeLogs.without(purged, SECOND + 2, snapshot);
    Path folder = home.resolve("never");
    assertThatThrownBy(() -> export(folder, left))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("about size 4 and root " + purged.root(3));
    assertThat(folder.resolve(TimeExport.COMMANDS)).doesNotExist();
  }

  /// No command stands beside what is of no signed log.
  @Test
  void refusesAHeadThatTheLogNeverHad() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(FIXTURES).blocks(FIXTURES.single(1));
    Extension.Time other =
        new Extension.Time(
            new TreeSize(4),
            new JournalRoot(log.root(3)),
            Optional.empty(),
            new TimeProof.Token(Bytes.fromHex("30")));
    log.append(TimeLogs.submission(other)).seal();
    Path folder = home.resolve("none");
    assertThatThrownBy(() -> export(folder, MemoryLog.of(log)))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("time journal 4 is about size 4");
    MemoryLog unsigned =
        MemoryLog.of(stamped().log())
            .withEnd(
                stamped().log().checkpoint(Fixtures.RECEIPT, 8, stamped().log().root()),
                Bytes.EMPTY);
    Path another = home.resolve("unsigned");
    assertThatThrownBy(() -> export(another, unsigned)).isInstanceOf(ProofRejectedException.class);
    assertThat(folder.resolve(TimeExport.COMMANDS)).doesNotExist();
    assertThat(another.resolve(TimeExport.COMMANDS)).doesNotExist();
  }

  @Test
  void writesToNoFolderThatHoldsFiles() throws Exception {
    Path folder = exported();
    assertThatThrownBy(() -> export(folder, MemoryLog.of(stamped().log())))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("is not empty");
  }
}
