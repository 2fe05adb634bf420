package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import io.tallystick.gpu.ptx.Operand.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Reads a function between its braces. Instructions are decoded when all labels are known.
final class BodyParser {
  private static final int REGISTERS_MAX = 1 << 20;

  private final Tokens tokens;
  private final FunctionVariables variables;
  private final ModuleParser module;
  private final String function;
  private final OperandParser operands;
  private final Map<String, Integer> labels = new HashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private int registers;

  private record Pending(int line, Optional<Value> guard, Supplier<Action> decode) {}

  BodyParser(Tokens tokens, FunctionVariables variables, ModuleParser module, String function) {
    this.tokens = tokens;
    this.variables = variables;
    this.module = module;
    this.function = function;
    this.operands = new OperandParser(tokens, variables);
  }

  int registers() {
    return registers;
  }

  List<Statement> parse() {
    tokens.expect("{");
    int depth = 1;
    while (depth > 0) {
      if (tokens.accept("{")) {
        variables.open();
        depth++;
      } else if (tokens.accept("}")) {
        depth--;
        if (depth > 0) {
          variables.close();
        }
      } else if (tokens.peek().text().startsWith(".")) {
        directive();
      } else if (tokens.isFollowedBy(":")) {
        label();
      } else {
        instruction();
      }
    }
    return pending.stream()
        .map(one -> new Statement(one.line(), one.guard(), one.decode().get()))
        .toList();
  }

  private void label() {
    String name = tokens.word();
    tokens.expect(":");
    if (labels.putIfAbsent(name, pending.size()) != null) {
      throw tokens.fail("label " + name + " stands twice");
    }
  }

  private void directive() {
    String directive = tokens.peek().text();
    tokens.take();
    switch (directive) {
      case ".reg" -> registers(Declaration.type(tokens));
      case ".param" -> variables.argument(variables.sized(Declaration.read(tokens)));
      case ".local" -> variables.local(variables.sized(Declaration.read(tokens)));
      case ".shared" ->
          module.placeShared(
              variables.sized(Declaration.read(tokens)), variables.scope(), function);
      case ".pragma" -> {
        if (!tokens.take().text().equals("nounroll")) {
          throw tokens.fail("unknown pragma");
        }
      }
      default -> throw tokens.fail("unknown directive '" + directive + "'");
    }
    tokens.expect(";");
  }

  /// `%r<9>` declares %r0 to %r8.
  private void registers(ScalarType type) {
    if (type.bits() == 8) {
      throw tokens.fail("no registers of 8 bits");
    }
    do {
      String name = tokens.word();
      if (tokens.accept("<")) {
        long count = tokens.integer();
        tokens.expect(">");
        if (count < 0 || count + registers > REGISTERS_MAX) {
          throw tokens.fail(count + " registers");
        }
        for (int i = 0; i < count; i++) {
          register(name + i, type.bits());
        }
      } else {
        register(name, type.bits());
      }
    } while (tokens.accept(","));
  }

  private void register(String name, int bits) {
    variables.declare(name, new Register(name, bits, registers++));
  }

  private void instruction() {
    int line = tokens.line();
    Optional<Value> guard = tokens.accept("@") ? Optional.of(guard()) : Optional.empty();
    List<String> parts = List.of(tokens.word().split("\\.", -1));
    String opcode = parts.getFirst();
    List<String> modifiers = parts.subList(1, parts.size());
    if (opcode.equals("call")) {
      Action call = call(modifiers);
      pending.add(new Pending(line, guard, () -> call));
    } else {
      Decoder decoder = Decoder.ALL.get(opcode);
      if (decoder == null) {
        throw new PtxSyntaxException(line, "unknown opcode '" + opcode + "'");
      }
      Decoding decoding = new Decoding(line, opcode, modifiers, operands.list(), labels);
      pending.add(new Pending(line, guard, () -> decoder.decode(decoding)));
    }
    tokens.expect(";");
  }

  private Value guard() {
    Operand operand = operands.operand();
    if (operand instanceof Register register && register.bits() == 1) {
      return register;
    }
    if (operand instanceof Operand.Negated negated) {
      return negated;
    }
    throw tokens.fail("a guard must be a predicate");
  }

  /// `call.uni (result), name, (arguments);` with variables of the parameter space.
  private Action call(List<String> modifiers) {
    if (!modifiers.isEmpty() && !modifiers.equals(List.of("uni"))) {
      throw tokens.fail("unknown modifier in " + modifiers);
    }
    List<Variable> results = List.of();
    if (tokens.isAt("(")) {
      results = passed();
      tokens.expect(",");
    }
    String callee = tokens.word();
    List<Variable> arguments = tokens.accept(",") ? passed() : List.<Variable>of();
    return new Action.Call(callee, arguments, results);
  }

  private List<Variable> passed() {
    List<Variable> passed = new ArrayList<>();
    tokens.expect("(");
    if (!tokens.isAt(")")) {
      do {
        if (operands.operand() instanceof Operand.VariableAddress(Variable variable)
            && variable.space() == Space.PARAM) {
          passed.add(variable);
        } else {
          throw tokens.fail("want a variable of the parameter space");
        }
      } while (tokens.accept(","));
    }
    tokens.expect(")");
    return List.copyOf(passed);
  }
}
