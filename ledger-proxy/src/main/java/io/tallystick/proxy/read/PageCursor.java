package io.tallystick.proxy.read;

/// Where a page of journals begins, and the tree that it is cut from.
///
/// @param next jsn of the page's first journal
/// @param size of the tree; {@link #NEWEST} for the newest signed one
public record PageCursor(long next, long size) {
  public static final long NEWEST = 0;
}
