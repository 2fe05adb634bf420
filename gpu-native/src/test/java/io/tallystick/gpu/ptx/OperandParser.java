package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import io.tallystick.gpu.ptx.Operand.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads what stands behind an opcode.
final class OperandParser {
  private final Tokens tokens;
  private final FunctionVariables variables;

  OperandParser(Tokens tokens, FunctionVariables variables) {
    this.tokens = tokens;
    this.variables = variables;
  }

  /// The operands up to the semicolon.
  List<Operand> list() {
    List<Operand> operands = new ArrayList<>();
    if (!tokens.isAt(";")) {
      do {
        operands.add(operand());
      } while (tokens.accept(","));
    }
    return List.copyOf(operands);
  }

  Operand operand() {
    if (tokens.accept("[")) {
      return location();
    }
    if (tokens.accept("{")) {
      return vector();
    }
    if (tokens.accept("!")) {
      if (value() instanceof Register predicate && predicate.bits() == 1) {
        return new Operand.Negated(predicate);
      }
      throw tokens.fail("'!' stands before a predicate alone");
    }
    if (tokens.peek().kind() == Token.Kind.WORD && named().isEmpty()) {
      return new Operand.Name(tokens.word());
    }
    Value value = value();
    if (!tokens.accept("|")) {
      return value;
    }
    if (value instanceof Register first
        && value() instanceof Register second
        && second.bits() == 1) {
      return new Operand.Pair(first, second);
    }
    throw tokens.fail("want a register and a predicate");
  }

  private Optional<Value> named() {
    String name = tokens.peek().text();
    Optional<Value> special = SpecialRegister.named(name).map(Operand.Special::new);
    return special.isPresent() ? special : variables.scope().find(name);
  }

  private Value value() {
    if (tokens.peek().kind() != Token.Kind.WORD) {
      return new Operand.Immediate(tokens.integer());
    }
    Value value =
        named().orElseThrow(() -> tokens.fail("'" + tokens.peek().text() + "' is not declared"));
    tokens.take();
    return value;
  }

  private Operand.Location location() {
    Value base = value();
    long offset = 0;
    if (tokens.accept("+") || tokens.isAt("-")) {
      offset = tokens.integer();
    }
    tokens.expect("]");
    if (base instanceof Register register && register.bits() != 64) {
      throw tokens.fail("address in " + register.name() + " of " + register.bits() + " bits");
    }
    return new Operand.Location(base, offset);
  }

  private Operand.Vector vector() {
    List<Value> elements = new ArrayList<>();
    do {
      elements.add(value());
    } while (tokens.accept(","));
    tokens.expect("}");
    return new Operand.Vector(List.copyOf(elements));
  }
}
