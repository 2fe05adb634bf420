package io.tallystick.proxy.rest;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/// An answer that leaves when it is whole, or when the server's buffer is full. The framework
/// flushes what it has written, and the server does not know then that nothing follows: it would
/// send the answer in chunks, the last of them, of no bytes, in a write of its own.
final class WholeAnswer extends HttpServletResponseWrapper {
  WholeAnswer(HttpServletResponse response) {
    super(response);
  }

  @Override
  public void flushBuffer() {
    // The server does it at the end of the request.
  }
}
