package io.tallystick.gpu.ptx;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The names inside one function: its parameters, what it passes to others, its local memory.
final class FunctionVariables {
  private static final long FIRST = 0x100;
  private static final long ALIGNMENT_BYTES_MAX = Declaration.ALIGNMENT_BYTES_MAX;

  private final Tokens tokens;
  private final Layout argumentLayout = new Layout(FIRST);
  private final Layout localLayout = new Layout(0);
  private final List<Variable> arguments = new ArrayList<>();
  private final List<Variable> locals = new ArrayList<>();
  private Scope scope;

  FunctionVariables(Tokens tokens, Scope scope) {
    this.tokens = tokens;
    this.scope = scope;
  }

  List<Variable> arguments() {
    return List.copyOf(arguments);
  }

  List<Variable> locals() {
    return List.copyOf(locals);
  }

  /// What the local variables take, rounded up so that the next frame is as well aligned.
  long localBytes() {
    return (localLayout.end() + ALIGNMENT_BYTES_MAX - 1) & -ALIGNMENT_BYTES_MAX;
  }

  Scope scope() {
    return scope;
  }

  void open() {
    scope = new Scope(scope);
  }

  void close() {
    @Nullable Scope outer = scope.outer();
    if (outer == null) {
      throw tokens.fail("one brace too many");
    }
    scope = outer;
  }

  void declare(String name, Operand.Value value) {
    if (!scope.declare(name, value)) {
      throw tokens.fail(name + " is declared twice");
    }
  }

  /// `(.param .u64 a, .param .align 8 .b8 b[24])`
  List<Variable> parameters() {
    List<Variable> parameters = new ArrayList<>();
    tokens.expect("(");
    if (!tokens.isAt(")")) {
      do {
        tokens.expect(".param");
        parameters.add(argument(sized(Declaration.read(tokens))));
      } while (tokens.accept(","));
    }
    tokens.expect(")");
    return List.copyOf(parameters);
  }

  /// A variable of the parameter space.
  Variable argument(Declaration read) {
    long base = argumentLayout.place(read.bytes(), read.alignmentBytes());
    Variable variable =
        new Variable(
            read.name(), Space.PARAM, base, read.bytes(), arguments.size(), read.initial());
    arguments.add(variable);
    declare(read.name(), new Operand.VariableAddress(variable));
    return variable;
  }

  void local(Declaration read) {
    long base = localLayout.place(read.bytes(), read.alignmentBytes());
    Variable variable =
        new Variable(read.name(), Space.LOCAL, base, read.bytes(), 0, read.initial());
    locals.add(variable);
    declare(read.name(), new Operand.VariableAddress(variable));
  }

  /// Inside functions every variable has a size, and no initial value.
  Declaration sized(Declaration read) {
    if (read.bytes() == 0 || read.initial().byteSize() > 0) {
      throw tokens.fail(read.name() + ": want a size and no initial value");
    }
    return read;
  }
}
