package io.tallystick.gpu.ptx;

import static io.tallystick.gpu.ptx.ScalarType.B16;
import static io.tallystick.gpu.ptx.ScalarType.B32;
import static io.tallystick.gpu.ptx.ScalarType.B64;
import static io.tallystick.gpu.ptx.ScalarType.PRED;
import static io.tallystick.gpu.ptx.ScalarType.S32;
import static io.tallystick.gpu.ptx.ScalarType.S64;
import static io.tallystick.gpu.ptx.ScalarType.U32;
import static io.tallystick.gpu.ptx.ScalarType.U64;

import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/// Logic, shifts, bit fields, comparison and selection (PTX ISA sections 9.7.1, 9.7.6, 9.7.8).
final class LogicDecoders {
  static final Map<String, Decoder> ALL =
      Map.ofEntries(
          Map.entry("and", decoding -> logic(decoding, (a, b) -> a & b)),
          Map.entry("or", decoding -> logic(decoding, (a, b) -> a | b)),
          Map.entry("xor", decoding -> logic(decoding, (a, b) -> a ^ b)),
          Map.entry("not", LogicDecoders::not),
          Map.entry("shl", LogicDecoders::shiftLeft),
          Map.entry("shr", LogicDecoders::shiftRight),
          Map.entry("shf", LogicDecoders::funnel),
          Map.entry("lop3", LogicDecoders::lookUp),
          Map.entry("prmt", LogicDecoders::permute),
          Map.entry("bfe", LogicDecoders::extract),
          Map.entry("bfi", LogicDecoders::insert),
          Map.entry("brev", LogicDecoders::reverse),
          Map.entry("popc", decoding -> count(decoding, true)),
          Map.entry("clz", decoding -> count(decoding, false)),
          Map.entry("setp", LogicDecoders::compare),
          Map.entry("selp", LogicDecoders::select));

  private static final List<String> COMPARISONS =
      List.of("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs");

  private LogicDecoders() {}

  private static Action logic(Decoding decoding, LongBinaryOperator operator) {
    ScalarType type = decoding.typeOf(PRED, B16, B32, B64);
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, type), decoding.source(1, type), decoding.source(2, type), operator);
  }

  private static Action not(Decoding decoding) {
    ScalarType type = decoding.typeOf(PRED, B16, B32, B64);
    decoding.end(2);
    return new Action.Unary(decoding.target(0, type), decoding.source(1, type), a -> ~a);
  }

  private static Action shiftLeft(Decoding decoding) {
    ScalarType type = decoding.typeOf(B16, B32, B64);
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, U32),
        (a, b) -> Bits.shiftLeft(a, b, type.bits()));
  }

  private static Action shiftRight(Decoding decoding) {
    ScalarType type = decoding.wordType();
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, U32),
        (a, b) -> Bits.shiftRight(a, b, type));
  }

  private static Action funnel(Decoding decoding) {
    boolean left = decoding.oneOf(List.of("l", "r")).equals("l");
    boolean wrap = decoding.oneOf(List.of("wrap", "clamp")).equals("wrap");
    ScalarType type = decoding.typeOf(B32);
    decoding.end(4);
    return new Action.Ternary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        decoding.source(3, U32),
        (a, b, c) -> Bits.funnel(a, b, (int) (wrap ? c & 31 : Math.min(c, 32)), left));
  }

  private static Action lookUp(Decoding decoding) {
    ScalarType type = decoding.typeOf(B32);
    decoding.end(5);
    int table = decoding.immediate(4);
    return new Action.Ternary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        decoding.source(3, type),
        (a, b, c) -> Bits.lookUp(a, b, c, table));
  }

  private static Action permute(Decoding decoding) {
    ScalarType type = decoding.typeOf(B32);
    decoding.end(4);
    return new Action.Ternary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        decoding.source(3, type),
        Bits::permute);
  }

  private static Action extract(Decoding decoding) {
    ScalarType type = decoding.typeOf(U32, U64, S32, S64);
    decoding.end(4);
    return new Action.Ternary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, U32),
        decoding.source(3, U32),
        (a, b, c) -> Bits.extract(a, b, c, type));
  }

  private static Action insert(Decoding decoding) {
    ScalarType type = decoding.typeOf(B32, B64);
    decoding.end(5);
    return new Action.InsertField(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        decoding.source(3, U32),
        decoding.source(4, U32));
  }

  private static Action reverse(Decoding decoding) {
    ScalarType type = decoding.typeOf(B32, B64);
    decoding.end(2);
    return new Action.Unary(
        decoding.target(0, type), decoding.source(1, type), a -> Bits.reverse(a, type.bits()));
  }

  private static Action count(Decoding decoding, boolean ones) {
    ScalarType type = decoding.typeOf(B32, B64);
    decoding.end(2);
    return new Action.Unary(
        decoding.target(0, U32),
        decoding.source(1, type),
        ones ? Long::bitCount : a -> Bits.leadingZeros(a, type.bits()));
  }

  private static Action compare(Decoding decoding) {
    String comparison = decoding.oneOf(COMPARISONS);
    ScalarType type = decoding.wordType();
    boolean equality = comparison.equals("eq") || comparison.equals("ne");
    boolean unsignedName = List.of("lo", "ls", "hi", "hs").contains(comparison);
    boolean bits = type == B16 || type == B32 || type == B64;
    if (!equality && (bits || (unsignedName && type.isSigned()))) {
      throw decoding.fail("no order of the type " + type);
    }
    decoding.end(3);
    return new Action.Binary(
        decoding.target(0, PRED),
        decoding.source(1, type),
        decoding.source(2, type),
        comparison(comparison, type));
  }

  private static LongBinaryOperator comparison(String name, ScalarType type) {
    return switch (name) {
      case "eq" -> (a, b) -> a == b ? 1 : 0;
      case "ne" -> (a, b) -> a != b ? 1 : 0;
      case "lt", "lo" -> (a, b) -> type.compare(a, b) < 0 ? 1 : 0;
      case "le", "ls" -> (a, b) -> type.compare(a, b) <= 0 ? 1 : 0;
      case "gt", "hi" -> (a, b) -> type.compare(a, b) > 0 ? 1 : 0;
      case "ge", "hs" -> (a, b) -> type.compare(a, b) >= 0 ? 1 : 0;
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static Action select(Decoding decoding) {
    ScalarType type = decoding.wordType();
    decoding.end(4);
    return new Action.Ternary(
        decoding.target(0, type),
        decoding.source(1, type),
        decoding.source(2, type),
        decoding.source(3, PRED),
        (a, b, c) -> c != 0 ? a : b);
  }
}
