package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// How many large answers may be under way: pages, public files, large journals and what is to be
/// signed are some megabytes each until their reader, however slow, has taken them. Further
/// requests wait a while, on virtual threads, and are then refused. Small answers need no place:
/// what is left of them when they are made fits the server's buffers.
final class AnswerBudget {
  /// Leaf, attestation and body of a journal that is answered without a place; as JSON, where a
  /// body stands twice in base64, little more than what a connection sends in one piece.
  static final int SMALL_BYTES = 12 << 10;

  /// How long a request waits for a place.
  static final Duration WAIT_MAX = Duration.ofSeconds(5);

  private static final int PAGES_MAX = 8;
  private static final int FILES_MAX = 24;
  private static final int JOURNALS_MAX = 12;

  /// What was sent to be prepared is held until the answer, as large, has been taken: together
  /// these are less than half of what bodies may take.
  private static final int PREPARED_MAX = 8;

  private static final String FILES = "/l/";
  private static final String BODIES = "bodies/";
  private static final String TILES = "tile/";
  private static final String PLACES = AnswerBudget.class.getName() + ".places";

  private final Semaphore pages = new Semaphore(PAGES_MAX);
  private final Semaphore files = new Semaphore(FILES_MAX);
  private final Semaphore journals = new Semaphore(JOURNALS_MAX);
  private final Semaphore prepared = new Semaphore(PREPARED_MAX);
  private final Duration waitMax;

  /// @param waitMax {@link #WAIT_MAX}
  AnswerBudget(Duration waitMax) {
    this.waitMax = waitMax;
  }

  /// What a request's answer has taken, given back when the answer has left. Of one thread.
  final class Places implements AutoCloseable {
    private final List<Semaphore> taken = new ArrayList<>(1);

    /// Takes a place for a large journal if there is one.
    boolean tryJournal() {
      return journals.tryAcquire() && taken.add(journals);
    }

    /// Waits for a place for a large journal. Whoever waits holds no journal.
    void journal() throws RequestRejectedException {
      take(journals, JOURNALS_MAX);
    }

    private void take(Semaphore kind, int max) throws RequestRejectedException {
      try {
        if (kind.tryAcquire(waitMax.toMillis(), TimeUnit.MILLISECONDS)) {
          taken.add(kind);
          return;
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

    @Override
    public void close() {
      taken.forEach(Semaphore::release);
      taken.clear();
    }
  }

  /// The places of a request, with the one its path calls for. Closed once the answer is made: what
  /// is left of it then fits the server's buffers.
  ///
  /// @param request whose path is spelt as its route is
  Places take(HttpServletRequest request) throws RequestRejectedException {
    Places places = new Places();
    request.setAttribute(PLACES, places);
    String path = request.getRequestURI();
    boolean post = request.getMethod().equals("POST");
    if (path.startsWith(FILES)) {
      if (isBundle(path)) {
        places.take(files, FILES_MAX);
      }
    } else if (post && path.endsWith(":prepare")) {
      places.take(prepared, PREPARED_MAX);
    } else if (!post && isPage(path)) {
      places.take(pages, PAGES_MAX);
    }
    return places;
  }

  /// Of the files of a log, those that have the journals' own bytes. The checkpoint is small, a
  /// tile of hashes 8 KiB at most.
  private static boolean isBundle(String path) {
    int ledgerEnd = path.indexOf('/', FILES.length());
    int file = path.indexOf('/', ledgerEnd + 1) + 1;
    if (ledgerEnd < 0 || file == 0) {
      return false;
    }
    return path.startsWith(BODIES, file)
        || (path.startsWith(TILES, file) && !isDigit(path, file + TILES.length()));
  }

  private static boolean isDigit(String path, int at) {
    return at < path.length() && path.charAt(at) >= '0' && path.charAt(at) <= '9';
  }

  /// Of what is read: what HEAD asks for is made as well.
  private static boolean isPage(String path) {
    return path.endsWith("/journals")
        || path.endsWith("/lineage")
        || path.endsWith("/members")
        || path.endsWith("/ledgers");
  }

  /// Those of a request that came through {@link #take}.
  static Places of(HttpServletRequest request) {
    if (request.getAttribute(PLACES) instanceof Places places) {
      return places;
    }
    throw new IllegalStateException("a request that did not come through the gate");
  }
}
