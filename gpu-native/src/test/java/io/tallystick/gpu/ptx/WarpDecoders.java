package io.tallystick.gpu.ptx;

import static io.tallystick.gpu.ptx.ScalarType.B32;
import static io.tallystick.gpu.ptx.ScalarType.B64;
import static io.tallystick.gpu.ptx.ScalarType.PRED;
import static io.tallystick.gpu.ptx.ScalarType.U32;

import io.tallystick.gpu.ptx.Operand.Pair;
import io.tallystick.gpu.ptx.Operand.Register;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Instructions that the lanes of a warp execute together (PTX ISA sections 9.7.9, 9.7.13).
final class WarpDecoders {
  static final Map<String, Decoder> ALL =
      Map.of(
          "shfl", WarpDecoders::shuffle,
          "vote", WarpDecoders::vote,
          "match", WarpDecoders::match,
          "activemask", WarpDecoders::activeMask);

  private WarpDecoders() {}

  private static Action shuffle(Decoding decoding) {
    decoding.expect("sync");
    Shuffle.Mode mode = Shuffle.Mode.named(decoding.oneOf(List.of("up", "down", "bfly", "idx")));
    decoding.typeOf(B32);
    decoding.end(5);
    boolean paired = decoding.operand(0) instanceof Pair;
    Register target = paired ? pair(decoding).value() : decoding.target(0, B32);
    if (target.bits() != 32) {
      throw decoding.fail(target.name() + " has " + target.bits() + " bits, want 32");
    }
    return new Shuffle(
        mode,
        target,
        paired ? Optional.of(pair(decoding).predicate()) : Optional.empty(),
        decoding.source(1, B32),
        decoding.source(2, U32),
        decoding.source(3, U32),
        decoding.source(4, U32));
  }

  private static Pair pair(Decoding decoding) {
    if (decoding.operand(0) instanceof Pair pair) {
      return pair;
    }
    throw decoding.fail("want a register and a predicate");
  }

  private static Action vote(Decoding decoding) {
    decoding.expect("sync");
    Vote.Mode mode = Vote.Mode.named(decoding.oneOf(List.of("all", "any", "uni", "ballot")));
    ScalarType type = decoding.typeOf(mode == Vote.Mode.BALLOT ? B32 : PRED);
    decoding.end(3);
    return new Vote(
        mode, decoding.target(0, type), decoding.source(1, PRED), decoding.source(2, U32));
  }

  private static Action match(Decoding decoding) {
    boolean all = decoding.oneOf(List.of("any", "all")).equals("all");
    decoding.expect("sync");
    ScalarType type = decoding.typeOf(B32, B64);
    decoding.end(3);
    boolean paired = decoding.operand(0) instanceof Pair;
    if (paired && !all) {
      throw decoding.fail("'.any' yields no predicate");
    }
    return new Match(
        all,
        paired ? pair(decoding).value() : decoding.target(0, B32),
        paired ? Optional.of(pair(decoding).predicate()) : Optional.empty(),
        decoding.source(1, type),
        decoding.source(2, U32));
  }

  private static Action activeMask(Decoding decoding) {
    decoding.typeOf(B32);
    decoding.end(1);
    return new Action.ActiveMask(decoding.target(0, B32));
  }

  static Action warpBarrier(Decoding decoding) {
    decoding.expect("sync");
    decoding.end(1);
    return new WarpBarrier(decoding.source(0, U32));
  }
}
