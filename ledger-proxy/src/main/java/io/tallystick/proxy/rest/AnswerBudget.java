package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// How many large answers may be under way: pages of journals and public files are some megabytes
/// each until their reader, however slow, has taken them. Further requests wait a while, on virtual
/// threads, and are then refused.
final class AnswerBudget {
  private static final int PAGES_MAX = 8;
  private static final int FILES_MAX = 24;
  private static final long WAIT_SECONDS_MAX = 5;

  private final Semaphore pages = new Semaphore(PAGES_MAX);
  private final Semaphore files = new Semaphore(FILES_MAX);

  /// A place among the answers under way.
  @FunctionalInterface
  interface Place extends AutoCloseable {
    @Override
    void close();
  }

  /// Closed once the answer is made: what is left of it then fits the server's buffers.
  Place take(HttpServletRequest request) throws RequestRejectedException {
    String path = request.getRequestURI();
    if (path.startsWith("/l/")) {
      return take(files, FILES_MAX);
    }
    boolean page = path.endsWith("/journals") || path.endsWith("/lineage");
    return page && request.getMethod().equals("GET") ? take(pages, PAGES_MAX) : () -> {};
  }

  private static Place take(Semaphore places, int max) throws RequestRejectedException {
    try {
      if (places.tryAcquire(WAIT_SECONDS_MAX, TimeUnit.SECONDS)) {
        return places::release;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the service is stopping", e);
    }
    throw new RequestRejectedException(
            RejectionCode.RATE_LIMITED,
            max + " answers of this kind are being read; try again later")
        .withLimit(max);
  }
}
