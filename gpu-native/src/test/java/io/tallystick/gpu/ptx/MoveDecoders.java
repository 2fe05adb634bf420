package io.tallystick.gpu.ptx;

import static io.tallystick.gpu.ptx.ScalarType.B16;
import static io.tallystick.gpu.ptx.ScalarType.B32;
import static io.tallystick.gpu.ptx.ScalarType.B64;
import static io.tallystick.gpu.ptx.ScalarType.U64;

import io.tallystick.gpu.ptx.Operand.Register;
import io.tallystick.gpu.ptx.Operand.Vector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Moves and conversions (PTX ISA section 9.7.9).
final class MoveDecoders {
  static final Map<String, Decoder> ALL =
      Map.of(
          "mov", MoveDecoders::move,
          "cvt", MoveDecoders::convert,
          "cvta", MoveDecoders::convertAddress);

  private MoveDecoders() {}

  private static Action move(Decoding decoding) {
    ScalarType type = decoding.type();
    decoding.end(2);
    if (decoding.operand(0) instanceof Vector targets) {
      return unpack(decoding, type, targets);
    }
    if (decoding.operand(1) instanceof Vector sources) {
      return pack(decoding, type, sources);
    }
    return new Action.Unary(decoding.target(0, type), decoding.source(1, type), a -> a);
  }

  private static ScalarType part(Decoding decoding, ScalarType type, Vector parts) {
    if (type != B32 && type != B64) {
      throw decoding.fail("no parts of the type " + type);
    }
    return switch (type.bits() / parts.elements().size()) {
      case 16 -> B16;
      case 32 -> B32;
      default -> throw decoding.fail(parts.elements().size() + " parts of " + type);
    };
  }

  private static Action unpack(Decoding decoding, ScalarType type, Vector targets) {
    ScalarType part = part(decoding, type, targets);
    List<Register> registers = new ArrayList<>();
    for (Operand element : targets.elements()) {
      Register target = decoding.wideTarget(element, part);
      if (target.bits() != part.bits()) {
        throw decoding.fail(target.name() + " has " + target.bits() + " bits, want " + part);
      }
      registers.add(target);
    }
    return new Action.Unpack(registers, decoding.source(1, type));
  }

  private static Action pack(Decoding decoding, ScalarType type, Vector sources) {
    ScalarType part = part(decoding, type, sources);
    List<Source> parts =
        sources.elements().stream().map(element -> decoding.source(element, part)).toList();
    return new Action.Pack(decoding.target(0, type), parts);
  }

  private static ScalarType integer(Decoding decoding) {
    ScalarType type = decoding.type();
    if (type.name().startsWith("B") || type == ScalarType.PRED) {
      throw decoding.fail("not for the type " + type);
    }
    return type;
  }

  /// `cvt`: the source is cut or extended by its own sign, and then the result by its own.
  private static Action convert(Decoding decoding) {
    ScalarType to = integer(decoding);
    ScalarType from = integer(decoding);
    decoding.end(2);
    return new Action.Unary(
        decoding.wideTarget(decoding.operand(0), to),
        decoding.wideSource(decoding.operand(1), from),
        to::of);
  }

  private static Action convertAddress(Decoding decoding) {
    boolean fromGeneric = decoding.accept("to");
    Space space = decoding.space();
    if (space == Space.GENERIC || space == Space.PARAM) {
      throw decoding.fail("no such state space");
    }
    decoding.typeOf(U64);
    decoding.end(2);
    long step = fromGeneric ? -space.window() : space.window();
    return new Action.Unary(decoding.target(0, U64), decoding.source(1, U64), a -> a + step);
  }
}
