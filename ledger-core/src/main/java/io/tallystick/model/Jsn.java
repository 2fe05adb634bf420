package io.tallystick.model;

/// A journal sequence number: the 0-based index of a leaf in its strand's log.
public record Jsn(long value) implements Comparable<Jsn> {
  public Jsn {
    if (value < 0) {
      throw new IllegalArgumentException("jsn " + value + " is negative");
    }
  }

  public Jsn next() {
    return new Jsn(value + 1);
  }

  @Override
  public int compareTo(Jsn other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
