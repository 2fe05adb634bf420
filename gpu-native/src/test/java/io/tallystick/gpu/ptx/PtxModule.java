package io.tallystick.gpu.ptx;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A PTX text, decoded: functions by name, and the variables outside of them.
///
/// @param globalEnd the first free global address
public record PtxModule(
    Map<String, PtxFunction> functions,
    List<Variable> globals,
    List<Variable> constants,
    List<Variable> shared,
    Map<String, List<Variable>> sharedInside,
    long globalEnd) {

  /// @throws PtxSyntaxException at the first directive, opcode, modifier or operand that the
  ///   interpreter does not know
  public static PtxModule parse(String text) {
    return new ModuleParser(new Tokens(text)).parse();
  }

  PtxFunction function(String name) {
    return Optional.ofNullable(functions.get(name))
        .orElseThrow(() -> new IllegalArgumentException("no function " + name));
  }

  /// The shared variables that a block of `kernel` has, by rising address.
  List<Variable> shared(PtxFunction kernel) {
    Stream<Variable> inside =
        functions.values().stream()
            .filter(function -> function.name().equals(kernel.name()) || !function.isKernel())
            .flatMap(function -> sharedInside.getOrDefault(function.name(), List.of()).stream());
    return Stream.concat(shared.stream(), inside)
        .sorted(Comparator.comparingLong(Variable::base))
        .toList();
  }
}
