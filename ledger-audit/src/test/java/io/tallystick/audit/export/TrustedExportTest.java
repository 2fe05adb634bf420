package io.tallystick.audit.export;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.AuditorTest;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.PurgeLogs;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.tile.TilePath;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: no log is exported that does not contain the head which was trusted before, whatever head
/// the service showed just before. Method: both exports of whole and of purged logs, with heads of
/// the log, of one beside it and of a longer one.
class TrustedExportTest {
  @TempDir private Path home;
  private int exports;

  /// @return the folder, if both exports are done
  private Path export(LogSource log, SignedHead trusted) throws Exception {
    Path folder = home.resolve("export " + exports++);
    try (TileExport tiles =
        new TileExport(folder, false, SignatureProviders.best(), AuditProgress.NONE)) {
      var _ = tiles.write(FIXTURES.strand(), log, Optional.of(trusted));
    }
    var _ =
        new TimeExport(
                home.resolve("tokens " + exports), SignatureProviders.best(), AuditProgress.NONE)
            .write(FIXTURES.strand(), log, Optional.of(trusted));
    return folder;
  }

  private void refused(LogSource log, SignedHead trusted, String what) {
    Path folder = home.resolve("refused " + exports++);
    try (TileExport tiles =
        new TileExport(folder, false, SignatureProviders.best(), AuditProgress.NONE)) {
      assertThatThrownBy(() -> tiles.write(FIXTURES.strand(), log, Optional.of(trusted)))
          .isInstanceOf(ProofRejectedException.class)
          .hasMessageContaining(what);
    }
    assertThat(folder.resolve(TilePath.CHECKPOINT)).doesNotExist();
    Path tokens = home.resolve("tokens " + exports);
    assertThatThrownBy(() ->
            new TimeExport(tokens, SignatureProviders.best(), AuditProgress.NONE)
                .write(FIXTURES.strand(), log, Optional.of(trusted)))
        .isInstanceOf(ProofRejectedException.class);
    assertThat(tokens.resolve(TimeExport.COMMANDS)).doesNotExist();
  }

  @Test
  void ofAWholeLog() throws Exception {
    ReferenceLedger log = Logs.sample();
    int size = log.size();
    for (int at : new int[] {2, 8, size}) {
      Path folder = export(MemoryLog.of(log), AuditorTest.head(at, log.root(at)));
      assertThat(folder.resolve(TilePath.CHECKPOINT)).exists();
      refused(MemoryLog.of(log), AuditorTest.head(at, Digest.ZERO), "FORK: at size " + at);
    }
    refused(
        MemoryLog.of(log),
        AuditorTest.head(size + 2L, Digest.ZERO),
        String.format(
            Locale.ROOT,
            "ROLLBACK: the log has %d leaves, a signed head of %d was trusted before",
            size,
            size + 2));
  }

  private static LogSource left(ReferenceLedger log) {
    return PurgeLogs.without(log, 10, PurgeLogs.snapshot(PurgeLogs.sample(), 8));
  }

  @Test
  void ofAPurgedLog() throws Exception {
    ReferenceLedger log = PurgeLogs.purged();
    for (int at : new int[] {4, 8, 10}) {
      var _ = export(left(log), AuditorTest.head(at, log.root(at)));
      refused(left(log), AuditorTest.head(at, Digest.ZERO), "at size " + at);
    }
  }
}
