package io.tallystick.proxy.read;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LineageQuery;

/// How many items a page may have.
public final class PageLimit {
  public static final int DEFAULT = 100;
  public static final int MAX = 1_000;

  private PageLimit() {}

  /// @param value unsigned; 0 takes the default
  public static int of(long value) throws RequestRejectedException {
    return of(value, MAX);
  }

  /// For a lineage of jsns alone, without the journals.
  ///
  /// @param value unsigned; 0 takes the default
  public static int ofJsns(long value) throws RequestRejectedException {
    return of(value, LineageQuery.LIMIT_MAX);
  }

  private static int of(long value, int max) throws RequestRejectedException {
    if (value < 0 || value > max) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              "page of " + Long.toUnsignedString(value) + " items, at most " + max)
          .withLimit(max);
    }
    return value == 0 ? DEFAULT : (int) value;
  }
}
