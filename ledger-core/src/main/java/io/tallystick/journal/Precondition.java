package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;

/// A condition on a key, which must hold for an operation on it to be carried out. A deletion
/// counts as no entry, because the state forgets it some day. Source: `docs/formats/forest.md`.
public sealed interface Precondition {
  int IF_ABSENT = 1;
  int IF_VERSION = 2;
  int IF_COMMIT = 3;

  record None() implements Precondition {}

  /// The key has no value.
  record IfAbsent() implements Precondition {}

  /// The key has a value, and journal `jsn` wrote it.
  record IfVersion(Jsn jsn) implements Precondition {}

  /// The key has a value, and it has exactly this commitment.
  record IfCommit(Digest valueCommit) implements Precondition {}

  default void encodeInto(CborWriter out) {
    switch (this) {
      case None() -> out.nil();
      case IfAbsent() -> out.array(1).uint(IF_ABSENT);
      case IfVersion(Jsn jsn) -> out.array(2).uint(IF_VERSION).uint(jsn.value());
      case IfCommit(Digest valueCommit) -> out.array(2).uint(IF_COMMIT).digest(valueCommit);
    }
  }

  static Precondition decode(CborReader in) throws MalformedException {
    if (in.nil()) {
      return new None();
    }
    int items = in.array();
    long code = in.uint();
    if (items != (code == IF_ABSENT ? 1 : 2)) {
      throw new MalformedException("precondition " + code + " has " + items + " items");
    }
    if (code == IF_ABSENT) {
      return new IfAbsent();
    } else if (code == IF_VERSION) {
      return new IfVersion(new Jsn(in.uint()));
    } else if (code == IF_COMMIT) {
      return new IfCommit(in.digest());
    }
    throw new MalformedException("precondition " + code + " is not defined");
  }
}
