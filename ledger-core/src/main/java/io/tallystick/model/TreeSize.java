package io.tallystick.model;

/// A number of leaves of a log, counted from its first; 1-based where a {@link Jsn} is 0-based.
public record TreeSize(long value) implements Comparable<TreeSize> {
  public TreeSize {
    if (value < 0) {
      throw new IllegalArgumentException("tree size " + value + " is negative");
    }
  }

  public boolean covers(Jsn jsn) {
    return jsn.value() < value;
  }

  @Override
  public int compareTo(TreeSize other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
