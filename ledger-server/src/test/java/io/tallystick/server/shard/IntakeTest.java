package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockLimits;
import io.tallystick.node.Founding;
import io.tallystick.server.sequencer.Input;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: who lingers for company is woken by enough of it and by the end, and takes all that came
/// in order. Method: a linger far longer than the test may take.
class IntakeTest {
  private static final long LINGER_MICROS = TimeUnit.MINUTES.toMicros(10);
  private static final long ENOUGH_BYTES = 1000;

  private final Intake intake = new Intake(lingering(LINGER_MICROS));

  private record Sized(long sizeBytes) implements Input.Found<AdmittedAppend> {
    @Override
    public void complete(boolean existed) {
      throw new AssertionError("a founding is not answered here");
    }

    @Override
    public void refuse(RequestRejectedException refusal) {
      throw new AssertionError(refusal);
    }

    @Override
    public void fail(Throwable cause) {
      throw new AssertionError(cause);
    }

    @Override
    public Founding founding() {
      throw new AssertionError("only its size counts here");
    }
  }

  private static ShardConfig lingering(long micros) {
    return ShardConfig.defaults()
        .withCommits(new ShardConfig.Commits(1 << 20, micros, ENOUGH_BYTES, 10));
  }

  @Test
  void wakesWhoLingersWhenThereIsEnough() throws Exception {
    Thread later =
        Thread.ofVirtual()
            .start(() -> {
              for (int i = 1; i <= 10; i++) {
                assertThat(intake.put(List.of(new Sized(100)), 0)).isTrue();
              }
            });
    List<Input<AdmittedAppend>> taken = intake.take(TimeUnit.MINUTES.toMillis(10), true);
    later.join();
    assertThat(taken).hasSize(10);
  }

  @Test
  void wakesWhoLingersAtTheEnd() throws Exception {
    assertThat(intake.put(List.of(new Sized(1), new Sized(2)), 0)).isTrue();
    Thread later = Thread.ofVirtual().start(intake::close);
    assertThat(intake.take(TimeUnit.MINUTES.toMillis(10), true))
        .containsExactly(new Sized(1), new Sized(2));
    later.join();
    assertThat(intake.isDrained()).isTrue();
    assertThat(intake.put(List.of(new Sized(3)), 0)).isFalse();
  }

  /// Many small ones wait for four times as much while more is announced, and go when none is.
  @Test
  void waitsForWhatIsAnnounced() throws Exception {
    List<Input<AdmittedAppend>> small = Collections.nCopies(80, new Sized(25));
    assertThat(intake.put(small, 1)).isTrue();
    List<Input<AdmittedAppend>> taken = new ArrayList<>();
    Thread taker =
        Thread.ofPlatform()
            .start(() -> {
              try {
                taken.addAll(intake.take(TimeUnit.MINUTES.toMillis(10), true));
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    while (taker.isAlive() && taker.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(intake.put(List.of(new Sized(25)), 0)).isTrue();
    taker.join();
    assertThat(taken).as("all, though 1,000 bytes would do").hasSize(81);
  }

  @Test
  void doesNotLingerUnlessAsked() throws Exception {
    assertThat(intake.put(List.of(new Sized(1)), 0)).isTrue();
    assertThat(intake.take(TimeUnit.MINUTES.toMillis(10), false)).containsExactly(new Sized(1));
  }

  @Test
  void takesNoMoreThanAFrameHolds() throws Exception {
    assertThat(intake.put(List.of(new Sized(1 << 20), new Sized(1), new Sized(2)), 0)).isTrue();
    assertThat(intake.take(0, true)).containsExactly(new Sized(1 << 20));
    assertThat(intake.take(0, false)).containsExactly(new Sized(1), new Sized(2));
    assertThat(intake.take(0, false)).isEmpty();
  }

  private static Intake of(int journalsMax, Duration wait) {
    return new Intake(
        ShardConfig.defaults().withBlocks(new BlockLimits(journalsMax, Optional.of(wait))));
  }

  @Test
  void takesNoMoreJournalsThanABlockMayHold() throws Exception {
    Intake small = of(2, Duration.ofSeconds(1));
    assertThat(small.put(Collections.nCopies(5, new Sized(1)), 0)).isTrue();
    assertThat(small.take(0, false)).hasSize(2);
    assertThat(small.take(0, false)).hasSize(2);
    assertThat(small.put(List.of(new Sized(1)), 0)).isTrue();
    assertThat(small.take(0, false)).as("full, so it does not wait").hasSize(2);
  }

  /// Also what is alone: with a fixed wait, the load does not matter.
  @Test
  void waitsUntilTheBlockIsFull() throws Exception {
    Intake waiting = of(3, Duration.ofSeconds(1));
    List<Input<AdmittedAppend>> taken = new ArrayList<>();
    assertThat(waiting.put(List.of(new Sized(1)), 0)).isTrue();
    Thread taker =
        Thread.ofPlatform()
            .start(() -> {
              try {
                taken.addAll(waiting.take(0, false));
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    assertThat(waiting.put(List.of(new Sized(1), new Sized(1)), 0)).isTrue();
    taker.join();
    assertThat(taken).hasSize(3);
  }

  @Test
  void doesNotWaitIfItsWaitIsZero() throws Exception {
    Intake hasty = of(3, Duration.ZERO);
    assertThat(hasty.put(List.of(new Sized(1)), 5)).isTrue();
    assertThat(hasty.take(0, true)).hasSize(1);
  }
}
