package io.tallystick.proxy.rest;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.catalina.connector.ClientAbortException;
import org.jspecify.annotations.Nullable;

/// An answer that leaves when it is whole, or when the server's buffer is full. The framework
/// flushes what it has written, and the server does not know then that nothing follows: it would
/// send the answer in chunks, the last of them, of no bytes, in a write of its own.
///
/// Whoever asked has to take it at some pace, or the connection is cut: the server gives up on a
/// reader who takes nothing, and would wait for ever for one who takes a byte now and then.
final class WholeAnswer extends HttpServletResponseWrapper {
  /// What any answer may take; each of its {@link #BYTES_PER_SECOND} has a second beside that.
  static final Duration TIME_MIN = Duration.ofSeconds(30);

  private static final int BYTES_PER_SECOND = 64 << 10;

  /// What is written between two looks at the clock.
  private static final int PIECE_BYTES = 8 << 10;

  private final BooleanSupplier bodyUnread;
  private final Duration timeMin;
  private @Nullable PacedStream out;
  private boolean cut;

  /// @param bodyUnread whether the request's body goes on
  /// @param timeMin {@link #TIME_MIN}
  WholeAnswer(HttpServletResponse response, BooleanSupplier bodyUnread, Duration timeMin) {
    super(response);
    this.bodyUnread = bodyUnread;
    this.timeMin = timeMin;
  }

  @Override
  public void flushBuffer() {
    // The server does it at the end of the request.
  }

  @Override
  public void setContentLength(int length) {
    setContentLengthLong(length);
  }

  /// Kept from the server as long as the body goes on: with the answer's last byte it would close
  /// the body too, and nobody could read on. {@link #send} tells it.
  @Override
  public void setContentLengthLong(long length) {
    if (!bodyUnread.getAsBoolean()) {
      super.setContentLengthLong(length);
    }
  }

  @Override
  public void setHeader(String name, String value) {
    if (!isLength(name) || !bodyUnread.getAsBoolean()) {
      super.setHeader(name, value);
    }
  }

  @Override
  public void addHeader(String name, String value) {
    if (!isLength(name) || !bodyUnread.getAsBoolean()) {
      super.addHeader(name, value);
    }
  }

  private static boolean isLength(String header) {
    return header.equalsIgnoreCase("Content-Length");
  }

  @Override
  public void reset() {
    super.reset();
    forgetWritten();
  }

  @Override
  public void resetBuffer() {
    super.resetBuffer();
    forgetWritten();
  }

  private void forgetWritten() {
    if (out != null) {
      out.written = 0;
    }
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    if (out == null) {
      out = new PacedStream(super.getOutputStream());
    }
    return out;
  }

  /// Sends an answer that is made, with its length if none of it has left, so that whoever asked
  /// can read it while the server reads his body.
  void send() throws IOException {
    if (out != null && !isCommitted()) {
      super.setContentLengthLong(out.written);
    }
    super.flushBuffer();
  }

  /// Throws again what the framework takes for a reader who is gone: the server must not end as
  /// whole what was cut.
  void checkWhole() throws IOException {
    if (cut) {
      throw tooSlow();
    }
  }

  private static ClientAbortException tooSlow() {
    return new ClientAbortException("the answer was taken too slowly");
  }

  private final class PacedStream extends ServletOutputStream {
    private final ServletOutputStream to;
    private final long begun = System.nanoTime();
    private long written;

    private PacedStream(ServletOutputStream to) {
      this.to = to;
    }

    @Override
    public void write(int octet) throws IOException {
      to.write(octet);
      written++;
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      for (int done = 0; done < length; ) {
        checkPace();
        int piece = Math.min(PIECE_BYTES, length - done);
        to.write(from, offset + done, piece);
        done += piece;
        written += piece;
      }
    }

    private void checkPace() throws IOException {
      long allowed =
          timeMin.toNanos() + written * Duration.ofSeconds(1).toNanos() / BYTES_PER_SECOND;
      if (System.nanoTime() - begun > allowed) {
        cut = true;
        throw tooSlow();
      }
    }

    @Override
    public boolean isReady() {
      return to.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      to.setWriteListener(listener);
    }
  }
}
