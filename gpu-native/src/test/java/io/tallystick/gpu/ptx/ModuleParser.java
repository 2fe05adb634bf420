package io.tallystick.gpu.ptx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Reads the directives of a PTX text (PTX ISA section 5), up to version 6.3.
final class ModuleParser {
  private static final long GLOBAL_FIRST = 0x1_0000_0000L;
  private static final long OTHER_FIRST = 0x100;
  private static final Set<String> LINKAGE = Set.of(".visible", ".weak", ".extern");

  private final Tokens tokens;
  private final Scope scope = new Scope(null);
  private final Layout globalLayout = new Layout(GLOBAL_FIRST);
  private final Layout constantLayout = new Layout(OTHER_FIRST);
  private final Layout sharedLayout = new Layout(OTHER_FIRST);
  private final Map<String, PtxFunction> functions = new HashMap<>();
  private final Set<String> declared = new HashSet<>();
  private final List<Variable> globals = new ArrayList<>();
  private final List<Variable> constants = new ArrayList<>();
  private final List<Variable> shared = new ArrayList<>();
  private final Map<String, List<Variable>> sharedInside = new HashMap<>();

  ModuleParser(Tokens tokens) {
    this.tokens = tokens;
  }

  PtxModule parse() {
    header();
    while (!tokens.atEnd()) {
      boolean external = false;
      while (LINKAGE.contains(tokens.peek().text())) {
        external |= tokens.take().text().equals(".extern");
      }
      String directive = tokens.peek().text();
      switch (directive) {
        case ".global" -> globals.add(variable(Space.GLOBAL, globalLayout, external));
        case ".const" -> constants.add(variable(Space.CONST, constantLayout, external));
        case ".shared" -> shared.add(variable(Space.SHARED, sharedLayout, external));
        case ".entry", ".func" -> function();
        default -> throw tokens.fail("unknown directive '" + directive + "'");
      }
    }
    declared.removeAll(functions.keySet());
    if (!declared.isEmpty()) {
      throw tokens.fail("never defined: " + declared);
    }
    functions.values().forEach(this::checkCalls);
    return new PtxModule(
        Map.copyOf(functions),
        List.copyOf(globals),
        List.copyOf(constants),
        List.copyOf(shared),
        Map.copyOf(sharedInside),
        globalLayout.end());
  }

  private void header() {
    tokens.expect(".version");
    String version = tokens.take().text();
    if (!version.matches("[1-5]\\.\\d|6\\.[0-3]")) {
      throw tokens.fail("PTX version " + version + ", want 6.3 or before");
    }
    tokens.expect(".target");
    String target = tokens.word();
    if (!target.matches("sm_[3-7]\\d")) {
      throw tokens.fail("unknown target " + target);
    }
    tokens.expect(".address_size");
    if (tokens.integer() != 64) {
      throw tokens.fail("want addresses of 64 bits");
    }
  }

  private Variable variable(Space space, Layout layout, boolean external) {
    tokens.take();
    Declaration read = Declaration.read(tokens);
    boolean sized = read.bytes() > 0;
    if (sized == external || (!sized && space != Space.SHARED)) {
      throw tokens.fail(read.name() + ": only shared memory without a size is external");
    }
    tokens.expect(";");
    return place(read, space, layout, scope);
  }

  /// A variable whose address is known from here on: global, constant or shared.
  private Variable place(Declaration read, Space space, Layout layout, Scope into) {
    long bytes = Math.max(read.bytes(), Launch.SHARED_BYTES_MAX * (read.bytes() == 0 ? 1 : 0));
    long base = layout.place(bytes, read.alignmentBytes());
    Variable placed = new Variable(read.name(), space, base, read.bytes(), 0, read.initial());
    if (!into.declare(read.name(), new Operand.VariableAddress(placed))) {
      throw tokens.fail(read.name() + " is declared twice");
    }
    return placed;
  }

  Variable placeShared(Declaration read, Scope into, String function) {
    Variable placed = place(read, Space.SHARED, sharedLayout, into);
    sharedInside.computeIfAbsent(function, name -> new ArrayList<>()).add(placed);
    return placed;
  }

  private void function() {
    boolean kernel = tokens.take().text().equals(".entry");
    FunctionVariables variables = new FunctionVariables(tokens, new Scope(scope));
    List<Variable> results =
        !kernel && tokens.isAt("(") ? variables.parameters() : List.<Variable>of();
    String name = tokens.word();
    List<Variable> parameters = tokens.isAt("(") ? variables.parameters() : List.<Variable>of();
    int threadsMax = kernel ? bounds() : Launch.THREADS_MAX;
    if (!kernel && tokens.accept(";")) {
      declared.add(name);
      return;
    }
    BodyParser body = new BodyParser(tokens, variables, this, name);
    List<Statement> code = body.parse();
    PtxFunction function =
        new PtxFunction(
            name,
            kernel,
            parameters,
            results,
            variables.arguments(),
            variables.locals(),
            variables.localBytes(),
            body.registers(),
            threadsMax,
            code);
    if (functions.putIfAbsent(name, function) != null) {
      throw tokens.fail(name + " is defined twice");
    }
  }

  /// `.maxntid` and `.minnctapersm`; the latter is about speed alone.
  private int bounds() {
    int threadsMax = Launch.THREADS_MAX;
    while (tokens.isAt(".maxntid") || tokens.isAt(".minnctapersm")) {
      boolean threads = tokens.take().text().equals(".maxntid");
      long product = tokens.integer();
      while (tokens.accept(",")) {
        product *= tokens.integer();
      }
      threadsMax = threads ? Math.toIntExact(product) : threadsMax;
    }
    return threadsMax;
  }

  private void checkCalls(PtxFunction caller) {
    for (Statement statement : caller.code()) {
      if (statement.action()
          instanceof Action.Call(String name, List<Variable> passed, List<Variable> results)) {
        PtxFunction callee = functions.get(name);
        if (callee == null || callee.isKernel()) {
          throw new PtxSyntaxException(statement.line(), "no function " + name);
        }
        if (!sizes(passed).equals(sizes(callee.parameters()))
            || !sizes(results).equals(sizes(callee.results()))) {
          throw new PtxSyntaxException(
              statement.line(), "parameters of another number or size than " + name + " has");
        }
      }
    }
  }

  private static List<Long> sizes(List<Variable> variables) {
    return variables.stream().map(Variable::bytes).toList();
  }
}
