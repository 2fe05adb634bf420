package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.MalformedException;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// A part of a ledger that shapes its roots beyond the log, or its style: who may become a member
/// and what may be removed. Genesis or an owner's parameters journal turns a part on; a style comes
/// with genesis alone. The codes are hashed and never reused.
public enum Feature {
  CLUE_TRIE(1),
  STATE_FOREST(2),
  /// One owner, and nobody else who writes.
  MONO(3),
  /// A normal member is an agent: its key is marked as delegated.
  DELEGATED(4),
  /// Nothing is ever removed: no purge, no occult.
  PERMANENT(5);

  private static final long VERSION = 1;

  private final int code;

  Feature(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /// Whether it is a style, which no parameters journal can change.
  public boolean style() {
    return switch (this) {
      case CLUE_TRIE, STATE_FOREST -> false;
      case MONO, DELEGATED, PERMANENT -> true;
    };
  }

  public static Feature ofCode(long code) throws MalformedException {
    if (code < 1 || code > values().length) {
      throw new MalformedException("feature " + code + " is not defined");
    }
    return values()[(int) code - 1];
  }

  /// An immutable copy in order of code.
  static Set<Feature> setOf(Collection<Feature> features) {
    EnumSet<Feature> copy = EnumSet.noneOf(Feature.class);
    copy.addAll(features);
    return Collections.unmodifiableSet(copy);
  }

  static void encode(CborWriter out, Set<Feature> ordered) {
    out.map(ordered.size());
    for (Feature feature : ordered) {
      out.uint(feature.code).uint(VERSION);
    }
  }

  static Set<Feature> decode(CborReader in) throws MalformedException {
    int pairs = in.map();
    EnumSet<Feature> features = EnumSet.noneOf(Feature.class);
    long previous = 0;
    for (int i = 0; i < pairs; i++) {
      long code = in.uint();
      if (code <= previous || code > values().length) {
        throw new MalformedException("feature " + code + " after " + previous);
      }
      long version = in.uint();
      if (version != VERSION) {
        throw new MalformedException("feature " + code + " has version " + version + ", want 1");
      }
      features.add(values()[(int) code - 1]);
      previous = code;
    }
    return Collections.unmodifiableSet(features);
  }
}
