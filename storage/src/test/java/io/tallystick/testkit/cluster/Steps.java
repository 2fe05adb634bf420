package io.tallystick.testkit.cluster;

/// Is told before and after each effect that a caller has on a twin. An implementation may pause
/// the caller there, let others act, or end the caller by throwing.
@FunctionalInterface
public interface Steps {
  /// @param what is about to be done or was done just now, for a trace
  void step(String what);

  /// Nobody is there to interrupt.
  Steps NONE = what -> {};
}
