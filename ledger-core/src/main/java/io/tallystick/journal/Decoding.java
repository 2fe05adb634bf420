package io.tallystick.journal;

import io.tallystick.model.MalformedException;
import java.util.function.Supplier;

/// Makes records of decoded values. A record's rules stand once, in its constructor, which throws
/// `IllegalArgumentException`. Here that becomes a {@link MalformedException}, because the values
/// come from bytes that somebody else wrote.
final class Decoding {
  private Decoding() {}

  /// Calls a constructor that checks decoded values.
  ///
  /// @throws MalformedException if the decoded values break a rule of the record
  static <T> T validated(Supplier<T> constructor) throws MalformedException {
    try {
      return constructor.get();
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }
}
