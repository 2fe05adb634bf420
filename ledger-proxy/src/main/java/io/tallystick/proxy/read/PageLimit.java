package io.tallystick.proxy.read;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;

/// How long a page may be and where it may begin.
public final class PageLimit {
  public static final int DEFAULT = 100;
  public static final int MAX = 1_000;

  private PageLimit() {}

  /// @param value unsigned; 0 takes the default
  public static int of(long value) throws RequestRejectedException {
    if (value < 0 || value > MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              "page of " + Long.toUnsignedString(value) + " items, at most " + MAX)
          .withLimit(MAX);
    }
    return value == 0 ? DEFAULT : (int) value;
  }

  /// A page may begin at the end of its tree, where it is empty.
  ///
  /// @param size of the tree the page is cut from
  /// @param newest signed size
  public static void checkStart(String name, long from, long size, long newest)
      throws RequestRejectedException {
    if (from > size || size > newest) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              name + " " + from + " is beyond size " + Math.min(size, newest))
          .withLimit(Math.min(size, newest));
    }
  }
}
