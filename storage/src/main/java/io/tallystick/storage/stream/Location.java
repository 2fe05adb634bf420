package io.tallystick.storage.stream;

/// Where bytes of a stream lie. `frame` is opaque to all but the store and grows with every frame
/// (local files: segment number << 32 | byte position of the frame in its segment); `offset` counts
/// bytes from the first byte of that frame's header.
public record Location(long frame, int offset) implements Comparable<Location> {
  public Location {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
  }

  public Location plus(int bytes) {
    return new Location(frame, Math.addExact(offset, bytes));
  }

  @Override
  public int compareTo(Location other) {
    int order = Long.compareUnsigned(frame, other.frame);
    return order != 0 ? order : Integer.compare(offset, other.offset);
  }
}
