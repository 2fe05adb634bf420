package io.tallystick.proxy.rest;

import io.opentelemetry.api.trace.Span;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.trace.Tracing;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.MDC;
import org.springframework.web.filter.OncePerRequestFilter;

/// Every request comes through here first: it gets the id that problems and the log name it by, and
/// its body's bytes are counted, each against its own limit and all under way against one of the
/// process. So are the reads under way. It is timed, and its answer leaves whole.
final class RequestGate extends OncePerRequestFilter {
  /// A batch of 4 MiB in base64, with what JSON adds to 10,000 requests.
  static final int BODY_BYTES_MAX = 8 << 20;

  /// Of all requests under way; parsed, a body takes some four times its bytes.
  static final long BODIES_BYTES_MAX = 24L << 20;

  /// From the headers to the last byte of a body; a client that trickles is told to stop.
  private static final Duration BODY_TIME_MAX = Duration.ofSeconds(30);

  /// Reads under way: each holds some megabytes until its reader has taken them.
  static final int READS_MAX = 64;

  /// How long a read waits for its turn, on its virtual thread.
  private static final Duration READ_WAIT_MAX = Duration.ofSeconds(5);

  private static final int MISDIRECTED = 421;
  private static final int SERVER_ERROR = 500;

  /// In the lines that a request causes in the log.
  private static final String LOGGED_TRACE_ID = "trace.id";

  private final AtomicLong underWay = new AtomicLong();
  private final Semaphore reads = new Semaphore(READS_MAX);
  private final ProxyMetrics metrics;
  private final RequestTimer times;
  private final Tracing tracing;
  private final Set<String> hosts;

  /// @param hosts the names this service goes by, without port; empty: any. On loopback a web page
  ///   whose own name is made to point there must not be served
  RequestGate(ProxyMetrics metrics, RequestTimer times, Tracing tracing, Set<String> hosts) {
    this.metrics = metrics;
    this.times = times;
    this.tracing = tracing;
    this.hosts = Set.copyOf(hosts);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    long arrived = System.nanoTime();
    UnflushedAnswer answer = new UnflushedAnswer(response);
    Span span = tracing.begin("HTTP " + request.getMethod(), request.getHeader("traceparent"));
    String traceId = TraceId.begin(request, span.getSpanContext());
    MDC.put(LOGGED_TRACE_ID, traceId);
    int status = SERVER_ERROR; // if nothing makes an answer of a failure
    try {
      guard(request, answer, chain, traceId);
      status = answer.getStatus(); // also of one that is cut off: what was answered is known
    } finally {
      MDC.remove(LOGGED_TRACE_ID);
      RequestSpan.end(span, request, status);
      times.answered(request, status, System.nanoTime() - arrived);
    }
  }

  private void guard(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain, String traceId)
      throws ServletException, IOException {
    boolean anyHost = hosts.isEmpty() || request.getAttribute(ManagementPort.ATTRIBUTE) != null;
    if (!anyHost && !hosts.contains(request.getServerName().toLowerCase(Locale.ROOT))) {
      close(response);
      ProblemWriter.write(
          response,
          ProblemDocument.http(
              MISDIRECTED,
              "wrong_host",
              "this service is not " + request.getServerName(),
              traceId));
      return;
    }
    if (isEscaped(request.getRequestURI())) {
      close(response);
      ProblemWriter.write(response, ProblemDocument.noRoute(traceId));
      return;
    }
    long announced = request.getContentLengthLong();
    if (announced > BODY_BYTES_MAX) {
      refuse(response, tooLarge(announced), traceId);
      return;
    }
    String coding = request.getHeader("Content-Encoding");
    if (coding != null && !coding.equalsIgnoreCase("identity")) {
      close(response);
      ProblemWriter.write(
          response,
          ProblemDocument.http(
              415,
              "unsupported_media_type",
              "content encoding " + coding + "; send the body as it is",
              traceId));
      return;
    }
    Counted counted = new Counted(request);
    boolean read = isRead(request);
    try {
      if (read) {
        beginRead();
      }
    } catch (RequestRejectedException e) {
      refuse(response, e, traceId);
      return;
    }
    try {
      chain.doFilter(counted, response);
    } finally {
      underWay.addAndGet(-counted.bytes);
      if (read) {
        reads.release();
      }
    }
  }

  /// Health and metrics are none: they are answered whatever others read. The one POST whose answer
  /// may have megabytes is one.
  private static boolean isRead(HttpServletRequest request) {
    String path = request.getRequestURI();
    return request.getMethod().equals("POST")
        ? path.endsWith(StateController.LOOKUP)
        : !path.startsWith("/actuator/");
  }

  private void beginRead() throws RequestRejectedException {
    try {
      if (reads.tryAcquire(READ_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the service is stopping", e);
    }
    throw new RequestRejectedException(
            RejectionCode.RATE_LIMITED, READS_MAX + " reads are under way; try again later")
        .withLimit(READS_MAX);
  }

  /// Whether a path has a second spelling. No route needs escapes or path parameters.
  private static boolean isEscaped(String path) {
    return path.indexOf('%') >= 0 || path.indexOf(';') >= 0;
  }

  private static RequestRejectedException tooLarge(long bytes) {
    return new RequestRejectedException(
            RejectionCode.TOO_LARGE, "body of " + bytes + " bytes, at most " + BODY_BYTES_MAX)
        .withLimit(BODY_BYTES_MAX);
  }

  private void refuse(
      HttpServletResponse response, RequestRejectedException refusal, String traceId)
      throws IOException {
    metrics.refused(refusal.code());
    close(response);
    ProblemWriter.write(response, ProblemDocument.of(refusal, traceId));
  }

  /// The body was not read: what follows on this connection could be taken for a request.
  private static void close(HttpServletResponse response) {
    response.setHeader("Connection", "close");
  }

  /// Carries a refusal out of a stream that may only throw I/O failures.
  static final class BodyRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient RequestRejectedException refusal;

    BodyRefusedException(RequestRejectedException refusal) {
      super(refusal);
      this.refusal = refusal;
    }

    RequestRejectedException refusal() {
      return refusal;
    }
  }

  /// Counts a body while it is read: what was announced and does not come takes no room from
  /// others.
  private final class Counted extends HttpServletRequestWrapper {
    private final long start = System.nanoTime();
    private long bytes;

    Counted(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return new CountedStream(super.getInputStream(), this);
    }

    private void count(int read) throws IOException {
      bytes += read;
      long all = underWay.addAndGet(read);
      if (bytes > BODY_BYTES_MAX) {
        throw new BodyRefusedException(tooLarge(bytes));
      }
      if (all > BODIES_BYTES_MAX) {
        throw new BodyRefusedException(
            new RequestRejectedException(
                    RejectionCode.RATE_LIMITED,
                    "request bodies of "
                        + BODIES_BYTES_MAX
                        + " bytes are under way; try again later")
                .withLimit(BODIES_BYTES_MAX));
      }
      if (System.nanoTime() - start > BODY_TIME_MAX.toNanos()) {
        throw new BodyRefusedException(
            new RequestRejectedException(
                    RejectionCode.MALFORMED,
                    "the body took longer than " + BODY_TIME_MAX.toSeconds() + " s to arrive")
                .withLimit(BODY_TIME_MAX.toSeconds()));
      }
    }
  }

  private static final class CountedStream extends ServletInputStream {
    private final ServletInputStream in;
    private final Counted counted;

    CountedStream(ServletInputStream in, Counted counted) {
      this.in = in;
      this.counted = counted;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      counted.count(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = in.read(into, offset, length);
      counted.count(Math.max(0, read));
      return read;
    }

    @Override
    public boolean isFinished() {
      return in.isFinished();
    }

    @Override
    public boolean isReady() {
      return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      in.setReadListener(listener);
    }
  }
}
