package io.tallystick.wire;

import io.tallystick.model.MalformedException;

/// How the values of one type cross the wire.
interface WireValue {
  /// @param value of the type
  void write(Object value, WireWriter out);

  /// @throws MalformedException if what is there is no value of the type
  Object read(WireReader in) throws MalformedException;

  /// What crosses, in one word or line: two sides that agree on it understand each other.
  String shape();
}
