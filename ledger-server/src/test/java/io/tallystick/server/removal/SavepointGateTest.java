package io.tallystick.server.removal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.stream.StreamPosition;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: the gate is open for exactly what the newest savepoint has. Method: locations on both
/// sides of its end, which are unsigned.
class SavepointGateTest {
  private static final long END = 0x8000_0000_0000_0400L;

  @Test
  void isOpenForWhatASavepointHas() {
    SavepointGate gate = new SavepointGate(new StreamPosition(0x400, 7));
    assertThat(gate.has(0x3ff)).isTrue();
    assertThat(gate.has(0x400)).isFalse();
    gate.saved(new StreamPosition(END, 9));
    assertThat(gate.has(0x400)).isTrue();
    assertThat(gate.has(END - 1)).isTrue();
    assertThat(gate.has(END)).isFalse();
  }

  @Test
  void letsNoSegmentGoThatHoldsMore() {
    SavepointGate gate = new SavepointGate(new StreamPosition(END, 9));
    gate.checkDroppable(0x400);
    gate.checkDroppable(END); // what lies in front of it
    assertThatThrownBy(() -> gate.checkDroppable(END + 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("8000000000000400");
  }

  @Test
  void letsNothingGoThatNoShippedSavepointHas() {
    AtomicLong shippedTo = new AtomicLong(0x300);
    SavepointGate gate = new SavepointGate(new StreamPosition(0x400, 7), shippedTo::get);
    assertThat(gate.has(0x2ff)).isTrue();
    assertThat(gate.has(0x300)).isFalse();
    assertThatThrownBy(() -> gate.checkDroppable(0x301)).isInstanceOf(IllegalStateException.class);
    gate.checkDroppable(0x300);
    shippedTo.set(0x500);
    assertThat(gate.has(0x3ff)).isTrue();
    assertThat(gate.has(0x400)).as("the savepoint here does not hold it").isFalse();
  }
}
