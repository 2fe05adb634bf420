package io.tallystick.server.sequencer;

import java.util.List;

/// Turns of a sequencer that tell at once what is refused, as nobody else owns the shard.
final class Turns {
  private Turns() {}

  static <A> Step<A> step(Sequencer sequencer, List<? extends Input<A>> inputs, long clockMs) {
    Step<A> step = sequencer.step(inputs, clockMs);
    step.refused().forEach(each -> each.input().refuse(each.refusal()));
    return step;
  }
}
