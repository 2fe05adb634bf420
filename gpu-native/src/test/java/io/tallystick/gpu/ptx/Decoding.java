package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Immediate;
import io.tallystick.gpu.ptx.Operand.Location;
import io.tallystick.gpu.ptx.Operand.Register;
import io.tallystick.gpu.ptx.Operand.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One instruction as it was written, while it is decoded: its modifiers are taken from the front,
/// and what is left over is an error.
final class Decoding {
  private final int line;
  private final String opcode;
  private final List<String> modifiers;
  private final List<Operand> operands;
  private final Map<String, Integer> labels;
  private int taken;

  Decoding(
      int line,
      String opcode,
      List<String> modifiers,
      List<Operand> operands,
      Map<String, Integer> labels) {
    this.line = line;
    this.opcode = opcode;
    this.modifiers = modifiers;
    this.operands = operands;
    this.labels = labels;
  }

  PtxSyntaxException fail(String message) {
    String name = modifiers.isEmpty() ? opcode : opcode + "." + String.join(".", modifiers);
    return new PtxSyntaxException(line, name + ": " + message);
  }

  boolean accept(String modifier) {
    boolean found = taken < modifiers.size() && modifiers.get(taken).equals(modifier);
    if (found) {
      taken++;
    }
    return found;
  }

  void expect(String modifier) {
    if (!accept(modifier)) {
      throw fail("'." + modifier + "' is missing");
    }
  }

  /// The next modifier, which must be one of `names`.
  String oneOf(List<String> names) {
    if (taken < modifiers.size() && names.contains(modifiers.get(taken))) {
      return modifiers.get(taken++);
    }
    throw fail("found " + rest() + ", want one of " + names);
  }

  Optional<String> acceptOneOf(List<String> names) {
    boolean found = taken < modifiers.size() && names.contains(modifiers.get(taken));
    return found ? Optional.of(modifiers.get(taken++)) : Optional.empty();
  }

  /// The state space that the next modifier names; generic when it names none.
  Space space() {
    Optional<Space> space =
        taken < modifiers.size() ? Space.named(modifiers.get(taken)) : Optional.empty();
    if (space.isPresent()) {
      taken++;
    }
    return space.orElse(Space.GENERIC);
  }

  private List<String> rest() {
    return modifiers.subList(taken, modifiers.size());
  }

  /// The type that the next modifier names.
  ScalarType type() {
    Optional<ScalarType> type =
        taken < modifiers.size() ? ScalarType.named(modifiers.get(taken)) : Optional.empty();
    taken++;
    return type.orElseThrow(() -> fail("no type that this interpreter knows"));
  }

  ScalarType typeOf(ScalarType... allowed) {
    ScalarType type = type();
    if (!List.of(allowed).contains(type)) {
      throw fail("not for the type " + type);
    }
    return type;
  }

  /// A type of 16, 32 or 64 bits.
  ScalarType wordType() {
    ScalarType type = type();
    if (type.bits() < 16) {
      throw fail("not for the type " + type);
    }
    return type;
  }

  /// No modifier is left, and there are `count` operands.
  void end(int count) {
    if (taken < modifiers.size()) {
      throw fail("unknown modifier in " + rest());
    }
    if (operands.size() != count) {
      throw fail(operands.size() + " operands, want " + count);
    }
  }

  Operand operand(int index) {
    return operands.get(index);
  }

  private static Optional<Register> register(Operand operand) {
    return operand instanceof Register register ? Optional.of(register) : Optional.empty();
  }

  /// A destination of exactly this many bits.
  Register target(int index, int bits) {
    Register target = anyTarget(index);
    if (target.bits() != bits) {
      throw fail(target.name() + " has " + target.bits() + " bits, want " + bits);
    }
    return target;
  }

  Register target(int index, ScalarType type) {
    return target(index, type.bits());
  }

  Register anyTarget(int index) {
    return register(operands.get(index))
        .orElseThrow(() -> fail("operand " + index + " must be a register"));
  }

  /// A destination that may be wider than what is written to it.
  Register wideTarget(Operand operand, ScalarType type) {
    Register target = register(operand).orElseThrow(() -> fail("want a register to write"));
    if (target.bits() < type.bits() || target.bits() == 1) {
      throw fail(target.name() + " is too narrow for " + type);
    }
    return target;
  }

  Source source(int index, ScalarType type) {
    return source(operands.get(index), type);
  }

  /// A value of exactly the type's width.
  Source source(Operand operand, ScalarType type) {
    return checked(operand, type, false);
  }

  /// A value whose register may be wider than the type: the low bits count.
  Source wideSource(Operand operand, ScalarType type) {
    return checked(operand, type, true);
  }

  private Source checked(Operand operand, ScalarType type, boolean mayBeWider) {
    if (!(operand instanceof Value value)) {
      throw fail("want a value, found " + operand);
    }
    int bits =
        switch (value) {
          case Immediate any -> type.bits();
          case Register register -> register.bits();
          case Operand.Negated negated -> 1;
          case Operand.Special special -> 32;
          case Operand.VariableAddress address -> 64;
        };
    boolean fits = bits == type.bits() || (mayBeWider && bits > type.bits());
    if (!fits) {
      throw fail("a value of " + bits + " bits, want " + type);
    }
    return new Source(value, type);
  }

  Location location(int index) {
    if (operands.get(index) instanceof Location location) {
      return location;
    }
    throw fail("operand " + index + " must be an address");
  }

  int immediate(int index) {
    if (operands.get(index) instanceof Immediate immediate) {
      return (int) immediate.value();
    }
    throw fail("operand " + index + " must be an immediate");
  }

  /// A branch to the label that operand 0 names.
  Action.Branch branch() {
    Integer statement =
        operands.getFirst() instanceof Operand.Name name ? labels.get(name.text()) : null;
    if (statement != null) {
      return new Action.Branch(statement);
    }
    throw fail("no such label: " + operands.getFirst());
  }
}
