package io.tallystick.gpu.ptx;

import static io.tallystick.gpu.ptx.ScalarType.S16;
import static io.tallystick.gpu.ptx.ScalarType.S32;
import static io.tallystick.gpu.ptx.ScalarType.S64;
import static io.tallystick.gpu.ptx.ScalarType.U16;
import static io.tallystick.gpu.ptx.ScalarType.U32;
import static io.tallystick.gpu.ptx.ScalarType.U64;

import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/// Integer arithmetic (PTX ISA section 9.7.1).
final class ArithmeticDecoders {
  static final Map<String, Decoder> ALL =
      Map.ofEntries(
          Map.entry("add", decoding -> sum(decoding, false)),
          Map.entry("sub", decoding -> sum(decoding, true)),
          Map.entry("addc", decoding -> carried(decoding, false, true, decoding.accept("cc"))),
          Map.entry("subc", decoding -> carried(decoding, true, true, decoding.accept("cc"))),
          Map.entry("mul", ArithmeticDecoders::multiply),
          Map.entry("mad", ArithmeticDecoders::multiplyAdd),
          Map.entry("div", decoding -> divide(decoding, (a, b) -> a / b, Long::divideUnsigned)),
          Map.entry("rem", decoding -> divide(decoding, (a, b) -> a % b, Long::remainderUnsigned)),
          Map.entry("min", decoding -> extreme(decoding, -1)),
          Map.entry("max", decoding -> extreme(decoding, 1)),
          Map.entry("abs", decoding -> unary(decoding, true)),
          Map.entry("neg", decoding -> unary(decoding, false)));

  private static final List<String> HALVES = List.of("lo", "hi", "wide");

  private ArithmeticDecoders() {}

  private static ScalarType arithmeticType(Decoding decoding) {
    return decoding.typeOf(U16, U32, U64, S16, S32, S64);
  }

  private static Action sum(Decoding decoding, boolean subtracts) {
    if (decoding.accept("cc")) {
      return carried(decoding, subtracts, false, true);
    }
    ScalarType type = arithmeticType(decoding);
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        subtracts ? (a, b) -> a - b : Long::sum);
  }

  private static Action carried(
      Decoding decoding, boolean subtracts, boolean takes, boolean leaves) {
    ScalarType type = decoding.typeOf(U32, S32, U64, S64).bits() == 32 ? U32 : U64;
    decoding.end(3);
    return new Action.Carry(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        subtracts,
        takes,
        leaves);
  }

  private static Action unary(Decoding decoding, boolean absolute) {
    ScalarType type = decoding.typeOf(S16, S32, S64);
    decoding.end(2);
    return new Action.Unary(
        decoding.target(0, type), decoding.source(1, type), absolute ? Math::abs : a -> -a);
  }

  private static Action extreme(Decoding decoding, int sign) {
    ScalarType type = arithmeticType(decoding);
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        (a, b) -> type.compare(a, b) * sign >= 0 ? a : b);
  }

  private static Action divide(
      Decoding decoding, LongBinaryOperator signed, LongBinaryOperator unsigned) {
    ScalarType type = arithmeticType(decoding);
    decoding.end(3);
    return new Action.Divide(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        type.isSigned() ? signed : unsigned);
  }

  private static ScalarType product(String half, ScalarType type, Decoding decoding) {
    if (!half.equals("wide")) {
      return type;
    }
    if (type.bits() == 64) {
      throw decoding.fail("no wide product of 64 bits");
    }
    return type.wide();
  }

  private static LongBinaryOperator multiplication(String half, ScalarType type) {
    return half.equals("hi") ? (a, b) -> Bits.multiplyHigh(a, b, type) : (a, b) -> a * b;
  }

  private static Action multiply(Decoding decoding) {
    String half = decoding.oneOf(HALVES);
    ScalarType type = arithmeticType(decoding);
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, product(half, type, decoding)),
        decoding.source(1, type),
        decoding.source(2, type),
        multiplication(half, type));
  }

  private static Action multiplyAdd(Decoding decoding) {
    String half = decoding.oneOf(HALVES);
    ScalarType type = arithmeticType(decoding);
    ScalarType product = product(half, type, decoding);
    LongBinaryOperator multiplication = multiplication(half, type);
    decoding.end(4);
    return new Action.Ternary(
        decoding.target(0, product),
        decoding.source(1, type),
        decoding.source(2, type),
        decoding.source(3, product),
        (a, b, c) -> multiplication.applyAsLong(a, b) + c);
  }
}
