package io.tallystick.audit.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SavedLog;
import io.tallystick.testkit.reference.ReferenceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the paths are those of RFC 9162, and what names a key is found. Method: the reference tree
/// at every index and size of a saved log.
class EvidenceLogTest {
  @TempDir private Path folder = Path.of("");

  private EvidenceLog read(ReferenceLedger log) throws Exception {
    return read(log, 0);
  }

  private EvidenceLog read(ReferenceLedger log, int first) throws Exception {
    Path file = Files.write(folder.resolve("log.tlog"), SavedLog.of(log, first).toArray());
    return EvidenceLog.read(new LogCopySource(file), List.of());
  }

  @Test
  void thePathsAreThoseOfTheReference() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(Fixtures.ledger());
    for (int i = 1; i <= 9; i++) {
      log.block(Fixtures.ledger().single(i));
    }
    EvidenceLog copy = read(log);
    ReferenceTree tree =
        new ReferenceTree(IntStream.range(0, log.size()).mapToObj(log::leaf).toList());
    assertThat(copy.size()).isEqualTo(20);
    assertThat(copy.genesisParams()).isEqualTo(log.params());
    for (int size = 1; size <= log.size(); size++) {
      for (int index = 0; index < size; index++) {
        assertThat(copy.inclusion(index, size).path()).isEqualTo(tree.inclusionPath(index, size));
        assertThat(copy.consistency(index + 1, size).path())
            .isEqualTo(tree.consistencyPath(index + 1, size));
      }
    }
  }

  @Test
  void keysAreThoseThatGenesisAndJournalsName() throws Exception {
    EvidenceLog copy = read(ReferenceLedger.found(Fixtures.ledger()));
    assertThat(copy.key(Fixtures.ALICE.publicKey().kid())).contains(Fixtures.ALICE.publicKey());
    assertThat(copy.key(Fixtures.CAROL.publicKey().kid())).isEmpty();
  }

  @Test
  void aLogThatBeginsWithAnotherLeafIsNone() {
    ReferenceLedger log =
        ReferenceLedger.found(Fixtures.ledger()).block(Fixtures.ledger().single(1));
    assertThatThrownBy(() -> read(log, 1))
        .isInstanceOf(LogFormatException.class)
        .hasMessageContaining("leaf 0 is no genesis leaf");
  }
}
