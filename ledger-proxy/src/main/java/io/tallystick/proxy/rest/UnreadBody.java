package io.tallystick.proxy.rest;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.apache.catalina.connector.ClientAbortException;

/// What is left of a request's body once its answer is made: of one that was refused, or that
/// nobody wanted. To close the connection at once could take the answer from a client that is still
/// sending, so the rest is read and forgotten, for a while: the server would go on for as long as a
/// byte comes now and then.
final class UnreadBody implements BooleanSupplier {
  private static final int PIECE_BYTES = 8 << 10;

  private final HttpServletRequest request;
  private final ServletInputStream in;
  private final long announced;
  private final long deadline;
  private final boolean waitsToBeAsked;
  private boolean asked;

  /// @param deadline as {@link System#nanoTime} tells it
  UnreadBody(HttpServletRequest request, long deadline) throws IOException {
    this.request = request;
    this.in = request.getInputStream();
    this.announced = request.getContentLengthLong();
    this.deadline = deadline;
    this.waitsToBeAsked = request.getHeader("Expect") != null;
  }

  /// Told when somebody begins to read the body: the server then asks for it.
  void ask() {
    asked = true;
  }

  /// Whether there is any.
  @Override
  public boolean getAsBoolean() {
    return !in.isFinished();
  }

  /// Sends the answer and reads the body to its end. Does nothing if it was read; nor if it broke
  /// off while it was, or if the client waits to be asked for it and was not: the server then
  /// answers or closes the connection by itself.
  ///
  /// @throws ClientAbortException if the end does not come in time, or not within {@link
  ///   RequestGate#BODY_BYTES_MAX}: the server then closes the connection
  void drop(WholeAnswer answer) throws IOException {
    if (in.isFinished() || (waitsToBeAsked && !asked) || isBroken()) {
      return;
    }
    byte[] piece = new byte[PIECE_BYTES];
    try {
      if (cameWithTheHeaders(piece)) {
        return;
      }
      answer.send();
      if (endsInTime(piece)) {
        return;
      }
    } catch (IOException e) {
      throw new ClientAbortException("the body broke off after its answer", e);
    }
    throw new ClientAbortException("the body went on after its answer");
  }

  private boolean isBroken() {
    return request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null;
  }

  /// Where more is to come, the server closes the connection after the answer, and says so in it.
  private boolean cameWithTheHeaders(byte[] piece) throws IOException {
    while (announced > 0 && in.available() > 0 && in.read(piece) > 0) {}
    return in.isFinished();
  }

  private boolean endsInTime(byte[] piece) throws IOException {
    long dropped = 0;
    while (dropped <= RequestGate.BODY_BYTES_MAX) {
      int read = in.read(piece);
      if (in.isFinished()) {
        return true; // the mere end of it counts, however late the answer was
      }
      if (read <= 0 || System.nanoTime() - deadline > 0) {
        return false;
      }
      dropped += read;
    }
    return false;
  }
}
