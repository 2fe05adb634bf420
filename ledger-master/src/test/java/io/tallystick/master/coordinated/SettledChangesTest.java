package io.tallystick.master.coordinated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCoordination;
import io.tallystick.testkit.cluster.TwinFaults;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: what a writer is told is true, also when answers were lost. Method: two writers that
/// create the same path, seeded faults.
class SettledChangesTest {
  @Seeded(runs = 100)
  void tellsExactlyOneOfTwoCreatorsThatItsValueStands(SplittableRandom random) throws Exception {
    TwinCoordination twin = new TwinCoordination(random);
    twin.faults(new TwinFaults(0, 400, 100, 0, 0));
    Coordination[] clients = {twin.client(Steps.NONE), twin.client(Steps.NONE)};
    @Nullable Boolean[] told = new @Nullable Boolean[2];
    Bytes[] values = {SharedValue.ofNonce(random.nextLong()), SharedValue.ofNonce(2)};
    for (int i = 0; i < 2; i++) {
      told[i] = create(clients[i], values[i]);
    }
    twin.faults(TwinFaults.NONE);
    for (int i = 0; i < 2; i++) {
      Boolean answer = told[i];
      if (answer != null) {
        Bytes stands = twin.client(Steps.NONE).read("/x").orElseThrow().value();
        assertThat(stands.equals(values[i])).isEqualTo(answer);
      }
    }
  }

  /// It was made, the answer was lost, and whether it stands cannot be read.
  @Test
  void whatMayHaveBeenMadeIsNotSaidToBeNone() {
    Coordination twin = new TwinCoordination(new SplittableRandom(1)).client(Steps.NONE);
    LostAnswer client = new LostAnswer(twin, 1);
    List<Change> changes = List.of(new Change.Create("/x", SharedValue.ofNonce(7), false));
    assertThatCode(() -> new SettledChanges(client).commit(changes)).doesNotThrowAnyException();
    assertThat(client.unread()).isEqualTo(1);
    Coordination blind = new LostAnswer(twin, Integer.MAX_VALUE);
    assertThatThrownBy(() ->
            new SettledChanges(blind)
                .commit(List.of(new Change.Create("/y", SharedValue.ofNonce(8), false))))
        .isInstanceOf(OutcomeUnknownException.class);
  }

  /// Null: it was not told.
  private static @Nullable Boolean create(Coordination client, Bytes value) {
    try {
      new SettledChanges(client).commit(List.of(new Change.Create("/x", value, false)));
      return true;
    } catch (ChangeRefusedException _) {
      return false;
    } catch (IOException _) {
      return null;
    }
  }

  /// A client that is shown old values reads, behind a write of its own, what was written before.
  @Seeded(runs = 20)
  void readsNothingOldBehindAWrite(SplittableRandom random) throws Exception {
    TwinCoordination twin = new TwinCoordination(random);
    Coordination writer = twin.client(Steps.NONE);
    writer.commit(
        List.of(
            new Change.Create("/x", Bytes.EMPTY, false),
            new Change.Create("/beat", Bytes.EMPTY, false)));
    Coordination reader = twin.client(Steps.NONE);
    ReadsBehindWrites reads = new ReadsBehindWrites(reader, "/beat", random);
    for (int i = 0; i < 20; i++) {
      twin.faults(TwinFaults.NONE);
      Bytes newest = SharedValue.ofNonce(i);
      writer.commit(List.of(new Change.Put("/x", newest, Change.ANY)));
      twin.faults(new TwinFaults(0, 100, 0, 1000, 0));
      try {
        reads.catchUp();
      } catch (IOException _) {
        continue; // it may read old values, and knows it
      }
      assertThat(reader.read("/x").orElseThrow().value()).isEqualTo(newest);
    }
  }
}
