package io.tallystick.gpu.ptx;

import java.util.HashMap;
import java.util.Map;

/// How one opcode is decoded: it checks modifiers and operands to the last one.
interface Decoder {
  /// @throws PtxSyntaxException when the interpreter does not know the form
  Action decode(Decoding decoding);

  /// Every opcode that the interpreter knows, except `call`, whose syntax is its own.
  Map<String, Decoder> ALL = all();

  private static Map<String, Decoder> all() {
    Map<String, Decoder> all = new HashMap<>();
    all.putAll(ArithmeticDecoders.ALL);
    all.putAll(LogicDecoders.ALL);
    all.putAll(MoveDecoders.ALL);
    all.putAll(MemoryDecoders.ALL);
    all.putAll(ControlDecoders.ALL);
    all.putAll(WarpDecoders.ALL);
    return Map.copyOf(all);
  }
}
