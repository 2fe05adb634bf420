package io.tallystick.gpu.ptx;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Control flow and barriers (PTX ISA sections 9.7.12, 9.7.13). `call` is read by [BodyParser].
final class ControlDecoders {
  static final Map<String, Decoder> ALL =
      Map.of(
          "bra", ControlDecoders::branch,
          "ret", ControlDecoders::leave,
          "exit", decoding -> plain(decoding, new Action.Exit()),
          "trap", decoding -> plain(decoding, new Action.Trap()),
          "bar", ControlDecoders::barrier,
          "barrier", ControlDecoders::barrier);

  private static final int BARRIERS = 16;

  private ControlDecoders() {}

  private static Action plain(Decoding decoding, Action action) {
    decoding.end(0);
    return action;
  }

  private static Action branch(Decoding decoding) {
    decoding.accept("uni");
    decoding.end(1);
    return decoding.branch();
  }

  private static Action leave(Decoding decoding) {
    decoding.accept("uni");
    return plain(decoding, new Action.Return());
  }

  /// `bar.warp.sync mask`, or for all threads of the block `bar.sync number` or `bar.red`.
  private static Action barrier(Decoding decoding) {
    if (decoding.accept("warp")) {
      return WarpDecoders.warpBarrier(decoding);
    }
    if (decoding.accept("red")) {
      return reduction(decoding);
    }
    decoding.expect("sync");
    decoding.accept("aligned");
    decoding.end(1);
    checkNumber(decoding, 0);
    return new Barrier(Optional.empty());
  }

  private static Action reduction(Decoding decoding) {
    Barrier.Mode mode = Barrier.Mode.named(decoding.oneOf(List.of("and", "or", "popc")));
    decoding.accept("aligned");
    ScalarType type = decoding.typeOf(mode == Barrier.Mode.POPC ? ScalarType.U32 : ScalarType.PRED);
    decoding.end(3);
    checkNumber(decoding, 1);
    return new Barrier(
        Optional.of(
            new Barrier.Reduction(
                mode, decoding.target(0, type), decoding.source(2, ScalarType.PRED))));
  }

  private static void checkNumber(Decoding decoding, int operand) {
    int number = decoding.immediate(operand);
    if (number < 0 || number >= BARRIERS) {
      throw decoding.fail("no barrier " + number);
    }
  }
}
