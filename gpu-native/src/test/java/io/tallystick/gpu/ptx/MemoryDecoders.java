package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Action.TernaryOperator;
import io.tallystick.gpu.ptx.Operand.Register;
import io.tallystick.gpu.ptx.Operand.Vector;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Loads, stores, atomics and fences (PTX ISA sections 9.7.9, 9.7.13).
final class MemoryDecoders {
  static final Map<String, Decoder> ALL =
      Map.of(
          "ld", MemoryDecoders::load,
          "st", MemoryDecoders::store,
          "atom", decoding -> atomic(decoding, true),
          "red", decoding -> atomic(decoding, false),
          "membar", MemoryDecoders::memoryBarrier,
          "fence", MemoryDecoders::fence);

  private static final List<String> SCOPES = List.of("cta", "gpu", "sys");
  private static final List<String> ATOMIC_ORDERS =
      List.of("relaxed", "acquire", "release", "acq_rel");
  private static final List<String> OPERATIONS =
      List.of("add", "and", "or", "xor", "cas", "exch", "min", "max", "inc", "dec");

  private MemoryDecoders() {}

  /// `.volatile`, `.weak`, or an order with its scope. Loads are never early, so that `.acquire`
  /// asks for nothing here.
  private static String order(Decoding decoding, String scoped) {
    Optional<String> weak = decoding.acceptOneOf(List.of("volatile", "weak"));
    if (weak.isPresent()) {
      return weak.get();
    }
    Optional<String> strong = decoding.acceptOneOf(List.of("relaxed", scoped));
    if (strong.isPresent()) {
      decoding.oneOf(SCOPES);
    }
    return strong.orElse("weak");
  }

  private static int width(Decoding decoding) {
    return decoding.acceptOneOf(List.of("v2", "v4")).map(v -> v.equals("v2") ? 2 : 4).orElse(1);
  }

  private static List<? extends Operand> elements(Decoding decoding, Operand operand, int width) {
    if (width == 1) {
      return List.of(operand);
    }
    if (operand instanceof Vector vector && vector.elements().size() == width) {
      return vector.elements();
    }
    throw decoding.fail("want a vector of " + width);
  }

  private static ScalarType memoryType(Decoding decoding, int width) {
    ScalarType type = decoding.type();
    if (type == ScalarType.PRED || type.bytes() * width > 16) {
      throw decoding.fail("no access of " + width + " times " + type);
    }
    return type;
  }

  private static Action load(Decoding decoding) {
    order(decoding, "acquire");
    Space space = decoding.space();
    if (decoding.accept("nc") && space != Space.GLOBAL) {
      throw decoding.fail("'.nc' is for global memory");
    }
    int width = width(decoding);
    ScalarType type = memoryType(decoding, width);
    decoding.end(2);
    List<Register> targets =
        elements(decoding, decoding.operand(0), width).stream()
            .map(element -> decoding.wideTarget(element, type))
            .toList();
    return new Action.Load(space, type, targets, decoding.location(1));
  }

  private static Action store(Decoding decoding) {
    boolean releases = order(decoding, "release").equals("release");
    Space space = decoding.space();
    if (space == Space.CONST) {
      throw decoding.fail("constant memory is never written");
    }
    int width = width(decoding);
    ScalarType type = memoryType(decoding, width);
    decoding.end(2);
    List<Source> sources =
        elements(decoding, decoding.operand(1), width).stream()
            .map(element -> decoding.wideSource(element, type))
            .toList();
    return new Action.Store(space, type, decoding.location(0), sources, releases);
  }

  private static Action atomic(Decoding decoding, boolean yields) {
    String order = decoding.acceptOneOf(ATOMIC_ORDERS).orElse("relaxed");
    boolean releases = order.equals("release") || order.equals("acq_rel");
    decoding.acceptOneOf(SCOPES);
    Space space = decoding.space();
    if (space != Space.GENERIC && space != Space.GLOBAL && space != Space.SHARED) {
      throw decoding.fail("no atomics in " + space);
    }
    String operation = decoding.oneOf(OPERATIONS);
    ScalarType type = decoding.wordType();
    TernaryOperator operator =
        operator(operation, type)
            .orElseThrow(() -> decoding.fail(operation + " is not for the type " + type));
    int first = yields ? 1 : 0;
    int operands = operation.equals("cas") ? 2 : 1;
    decoding.end(first + 1 + operands);
    List<Source> sources =
        operands == 1
            ? List.of(decoding.source(first + 1, type))
            : List.of(decoding.source(first + 1, type), decoding.source(first + 2, type));
    List<Register> target = yields ? List.of(decoding.target(0, type)) : List.of();
    return new Action.Atomic(
        space, type, target, decoding.location(first), sources, operator, releases);
  }

  private static Optional<TernaryOperator> operator(String operation, ScalarType type) {
    boolean bits = type == ScalarType.B32 || type == ScalarType.B64;
    boolean number = !bits && type.bits() >= 32;
    boolean counter = type == ScalarType.U32;
    return switch (operation) {
      case "and" -> when(bits, (old, b, c) -> old & b);
      case "or" -> when(bits, (old, b, c) -> old | b);
      case "xor" -> when(bits, (old, b, c) -> old ^ b);
      case "exch" -> when(bits, (old, b, c) -> b);
      case "cas" -> when(bits, (old, b, c) -> old == b ? c : old);
      case "add" -> when(number && type != ScalarType.S64, (old, b, c) -> old + b);
      case "min" -> when(number, (old, b, c) -> type.compare(old, b) <= 0 ? old : b);
      case "max" -> when(number, (old, b, c) -> type.compare(old, b) >= 0 ? old : b);
      case "inc" -> when(counter, (old, b, c) -> old >= b ? 0 : old + 1);
      case "dec" -> when(counter, (old, b, c) -> old == 0 || old > b ? b : old - 1);
      default -> Optional.empty();
    };
  }

  private static Optional<TernaryOperator> when(boolean allowed, TernaryOperator operator) {
    return allowed ? Optional.of(operator) : Optional.empty();
  }

  private static Action memoryBarrier(Decoding decoding) {
    decoding.oneOf(List.of("cta", "gl", "sys"));
    decoding.end(0);
    return new Action.Fence();
  }

  private static Action fence(Decoding decoding) {
    decoding.acceptOneOf(List.of("sc", "acq_rel"));
    decoding.oneOf(SCOPES);
    decoding.end(0);
    return new Action.Fence();
  }
}
