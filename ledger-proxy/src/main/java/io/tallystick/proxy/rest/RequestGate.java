package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ProxyMetrics;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.web.filter.OncePerRequestFilter;

/// Every request comes through here first: it gets the id that problems and the log name it by, and
/// its body's bytes are counted, each against its own limit and all under way against one of the
/// process.
final class RequestGate extends OncePerRequestFilter {
  /// A batch of 4 MiB in base64, with what JSON adds to 10,000 requests.
  static final int BODY_BYTES_MAX = 8 << 20;

  /// Of all requests under way; parsed, a body takes some four times its bytes.
  static final long BODIES_BYTES_MAX = 32L << 20;

  private final AtomicLong underWay = new AtomicLong();
  private final ProxyMetrics metrics;

  RequestGate(ProxyMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String traceId = TraceId.begin(request);
    long announced = request.getContentLengthLong();
    if (announced > BODY_BYTES_MAX) {
      refuse(response, tooLarge(announced), traceId);
      return;
    }
    long cost = announced >= 0 ? announced : isChunked(request) ? BODY_BYTES_MAX : 0;
    if (underWay.addAndGet(cost) > BODIES_BYTES_MAX && cost > 0) {
      underWay.addAndGet(-cost);
      refuse(
          response,
          new RequestRejectedException(
                  RejectionCode.RATE_LIMITED,
                  "request bodies of " + BODIES_BYTES_MAX + " bytes are under way; try again later")
              .withLimit(BODIES_BYTES_MAX),
          traceId);
      return;
    }
    try {
      chain.doFilter(announced >= 0 ? request : new Counted(request), response);
    } finally {
      underWay.addAndGet(-cost);
    }
  }

  private static boolean isChunked(HttpServletRequest request) {
    return request.getHeader("Transfer-Encoding") != null || request.getProtocol().equals("HTTP/2");
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
    // The body was not read: what follows on this connection could be taken for a request.
    response.setHeader("Connection", "close");
    ProblemWriter.write(response, ProblemDocument.of(refusal, traceId));
  }

  /// Carries a refusal out of a stream that may only throw I/O failures.
  static final class BodyTooLargeException extends IOException {
    private static final long serialVersionUID = 1;

    BodyTooLargeException() {
      super("body of more than " + BODY_BYTES_MAX + " bytes");
    }

    RequestRejectedException refusal() {
      return tooLarge(BODY_BYTES_MAX + 1L);
    }
  }

  /// A body of unknown length, read no further than the limit.
  private static final class Counted extends HttpServletRequestWrapper {
    Counted(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return new CountedStream(super.getInputStream());
    }
  }

  private static final class CountedStream extends ServletInputStream {
    private final ServletInputStream in;
    private long bytes;

    CountedStream(ServletInputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      count(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = in.read(into, offset, length);
      count(Math.max(0, read));
      return read;
    }

    private void count(int read) throws IOException {
      bytes += read;
      if (bytes > BODY_BYTES_MAX) {
        throw new BodyTooLargeException();
      }
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
