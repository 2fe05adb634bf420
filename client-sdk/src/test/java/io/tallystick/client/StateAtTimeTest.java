package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.api.v1.StateOfKey;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.state.StateAtTime;
import io.tallystick.client.state.StateItem;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.state.StateWalk;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a key held at a time is read as of the block that was the newest then, and an answer
/// of another block is refused. Method: a fake service whose clock goes on by a second for each of
/// three writes, in blocks 1 to 3.
class StateAtTimeTest {
  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerState state;

  @BeforeEach
  void write() throws TallyException {
    fixture = new ServiceFixture(trust, LedgerOptions.DEFAULT.withState(LedgerStateTest.SMALL));
    state = fixture.ledger.state();
    for (int i = 1; i <= 3; i++) {
      fixture.service.clockOffsetMs += 1_000;
      state.put("stock", "v" + i);
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private long sealedMs(int height) {
    return FakeStates.sealedMs(fixture.remote(), height);
  }

  private StateAtTime at(long timeMs) throws TallyException {
    return state.get("stock", Instant.ofEpochMilli(timeMs));
  }

  @Test
  void theLastBlockThatIsNotAfterTheTimeIsRead() throws TallyException {
    for (long timeMs : new long[] {sealedMs(2), sealedMs(3) - 1}) {
      StateAtTime second = at(timeMs);
      assertThat(second.reading().text()).contains("v2");
      assertThat(second.reading().height()).isEqualTo(2);
      assertThat(second.isFinal()).isTrue();
      assertThat(second.at().next().orElseThrow().height()).isEqualTo(3);
    }
    StateAtTime newest = at(sealedMs(3));
    assertThat(newest.reading().text()).contains("v3");
    assertThat(newest.isFinal()).isFalse();
    assertThat(newest.toString()).contains("not final");
    assertThat(at(sealedMs(0)).reading().value()).isEmpty();
  }

  @Test
  void aRangeIsReadAtATime() throws TallyException {
    state.put("other", "o");
    StateWalk walk = state.range(StateSpan.all(), Instant.ofEpochMilli(sealedMs(2)));
    assertThat(walk.atTime().orElseThrow().isFinal()).isTrue();
    assertThat(walk.next()).extracting(StateItem::key).containsExactly(Bytes.utf8("stock"));
    assertThat(state.range(StateSpan.all()).next()).hasSize(2);
    assertThat(walk.next()).isEmpty();
    assertThatThrownBy(() -> state.range(StateSpan.all().asOf(1), Instant.EPOCH))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> at(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  private Reason lie(UnaryOperator<StateOfKey> lie) {
    fixture.service.states.keyTampering = lie;
    return refusal(() -> at(sealedMs(2))).reason();
  }

  private StateOfKey of(int height) {
    return FakeStates.key(fixture.remote(), Bytes.utf8("stock"), height);
  }

  @Test
  void refusesABlockOfAnotherTime() {
    assertThat(
            lie(unused ->
                of(1).toBuilder().setNextBlock(FakeStates.head(fixture.remote(), 2)).build()))
        .as("an earlier one")
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(unused -> of(3)))
        .as("a later one, which is the newest")
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(unused -> of(2)))
        .as("the right one, called the newest")
        .isEqualTo(Reason.ROLLBACK);
    assertThat(lie(answer -> answer.toBuilder().setNextBlock(answer.getHead()).build()))
        .as("a next one that is the same")
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(
            lie(unused ->
                of(1).toBuilder().setNextBlock(FakeStates.head(fixture.remote(), 3)).build()))
        .as("a next one that leaves one out")
        .isEqualTo(Reason.LEAF_MISMATCH);
  }
}
