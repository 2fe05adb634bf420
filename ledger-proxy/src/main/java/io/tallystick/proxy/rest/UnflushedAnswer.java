package io.tallystick.proxy.rest;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// An answer that leaves when it is whole, or when the server's buffer is full. The framework
/// flushes what it has written, and the server does not know then that nothing follows: it would
/// send the answer in chunks, the last of them, of no bytes, in a write of its own.
final class UnflushedAnswer extends HttpServletResponseWrapper {
  private @Nullable ServletOutputStream out;

  UnflushedAnswer(HttpServletResponse response) {
    super(response);
  }

  @Override
  public void flushBuffer() {
    // The server does it at the end of the request.
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    if (out == null) {
      out = new Unflushed(super.getOutputStream());
    }
    return out;
  }

  private static final class Unflushed extends ServletOutputStream {
    private final ServletOutputStream to;

    private Unflushed(ServletOutputStream to) {
      this.to = to;
    }

    @Override
    public void write(int octet) throws IOException {
      to.write(octet);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      to.write(from, offset, length);
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
