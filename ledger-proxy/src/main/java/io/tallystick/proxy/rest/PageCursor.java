package io.tallystick.proxy.rest;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;

/// Where the next page of journals begins, and the tree size that all pages are cut from. Opaque to
/// clients.
record PageCursor(long next, long size) {
  private static CursorText text(LedgerId ledger) {
    return new CursorText("tallystick/page/1", ledger.digest().toArray(), 2);
  }

  String encode(LedgerId ledger) {
    return text(ledger).encode(next, size);
  }

  static PageCursor decode(LedgerId ledger, String text) throws RequestRejectedException {
    long[] numbers = text(ledger).decode(text);
    return new PageCursor(numbers[0], numbers[1]);
  }
}
