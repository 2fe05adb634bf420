package io.tallystick.proxy.edge;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The streaming calls under way, so that a shutdown can end them in order instead of cutting them
/// off. Thread-safe.
final class OpenCalls {
  /// A call that can be asked to end.
  interface Call {
    /// Takes nothing new, answers what it has, then ends with `UNAVAILABLE`. Does not block.
    void drain();
  }

  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  void add(Call call) {
    calls.add(call);
    if (draining) {
      call.drain();
    }
  }

  void remove(Call call) {
    calls.remove(call);
  }

  /// Also ends every call that comes later.
  void drain() {
    draining = true;
    calls.forEach(Call::drain);
  }

  boolean isDraining() {
    return draining;
  }

  int count() {
    return calls.size();
  }
}
