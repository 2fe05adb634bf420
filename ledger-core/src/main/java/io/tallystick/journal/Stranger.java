package io.tallystick.journal;

import io.tallystick.model.MalformedException;
import java.util.function.Supplier;

/// Builds a record out of a stranger's values. The rules stand once, in the record's constructor:
/// broken by our caller they are an `IllegalArgumentException`, broken by a stranger's bytes a
/// {@link MalformedException}.
final class Stranger {
  private Stranger() {}

  static <T> T build(Supplier<T> constructor) throws MalformedException {
    try {
      return constructor.get();
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }
}
