package io.tallystick.gpu.ptx;

import java.util.Map;

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

  /// `bar.warp.sync mask` or `bar.sync number`, for all threads of the block.
  private static Action barrier(Decoding decoding) {
    if (decoding.accept("warp")) {
      return WarpDecoders.warpBarrier(decoding);
    }
    decoding.expect("sync");
    decoding.accept("aligned");
    decoding.end(1);
    int number = decoding.immediate(0);
    if (number < 0 || number >= BARRIERS) {
      throw decoding.fail("no barrier " + number);
    }
    return new Action.Barrier();
  }
}
