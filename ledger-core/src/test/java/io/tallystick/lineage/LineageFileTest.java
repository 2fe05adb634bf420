package io.tallystick.lineage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.SampleClues;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a saved lineage is verified with the service's public keys and nothing else. Method: files
/// of both kinds, then with parts of another.
class LineageFileTest {
  private static final int SIZE = 18;
  private static final String CLUE = "invoice 7";
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  private final SampleClues log = SampleClues.small();
  private final LineageFile journals =
      LineageFile.of(log.clueId(CLUE), log.head(SIZE), log.lineage(CLUE, SIZE));

  @Test
  void holdsJournalsWithTheHeadTheyAreProvenUnder() throws Exception {
    LineageFile.Verified verified = verify(LineageFile.decode(journals.encode()));
    assertThat(verified.head()).isEqualTo(log.head(SIZE));
    assertThat(verified.state().count()).isEqualTo(5);
    assertThat(verified.lineage().orElseThrow().isComplete()).isTrue();
  }

  @Test
  void holdsThatAClueWasNeverUsed() throws Exception {
    String never = "never used";
    LineageFile file =
        LineageFile.of(log.clueId(never), log.head(SIZE), log.clueProof(never, SIZE));
    LineageFile.Verified verified = verify(LineageFile.decode(file.encode()));
    assertThat(verified.state()).isInstanceOf(ClueState.NeverUsed.class);
    assertThat(verified.lineage()).isEmpty();
  }

  @Test
  void rejectsPartsOfAnotherFile() {
    assertRejected(new LineageFile(log.clueId("draft"), journals.head(), journals.proof()));
    assertRejected(new LineageFile(journals.clueId(), log.checkpoint(15), journals.proof()));
    Bytes older = log.lineage(CLUE, 12).encode();
    assertRejected(new LineageFile(journals.clueId(), journals.head(), older));
    assertRejected(new LineageFile(journals.clueId(), Bytes.EMPTY, journals.proof()));
    assertRejected(new LineageFile(journals.clueId(), journals.head(), Bytes.EMPTY));
    assertRejected(new LineageFile(journals.clueId(), journals.head(), Bytes.fromHex("80")));
    assertRejected(new LineageFile(journals.clueId(), journals.head(), journals.encode()));
  }

  @Test
  void rejectsAFileAboutAnotherStrand() {
    StrandId other = new StrandId(log.strand().ledger(), 1);
    assertThatThrownBy(() -> journals.verify(other, log.keys(), SIGNATURES))
        .isInstanceOf(ProofRejectedException.class);
  }

  @Test
  void refusesEveryOtherEncoding() {
    Bytes good = journals.encode();
    assertMalformed(good.hex().replaceFirst("^840d", "840c"), "type 12");
    assertMalformed(good.hex().replaceFirst("^840d", "830d"), "lineage file has 3 items");
    assertMalformed(good.hex() + "00", "1 bytes left over");
    assertMalformed(good.slice(0, good.size() - 1).hex(), "");
  }

  private LineageFile.Verified verify(LineageFile file) throws ProofRejectedException {
    return file.verify(log.strand(), log.keys(), SIGNATURES);
  }

  private void assertRejected(LineageFile file) {
    assertThatThrownBy(() -> verify(file)).isInstanceOf(ProofRejectedException.class);
  }

  private static void assertMalformed(String hex, String why) {
    assertThatThrownBy(() -> LineageFile.decode(Bytes.fromHex(hex)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }
}
