package io.tallystick.proxy.rest;

import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/// Answers what the HTTP server refuses by itself, before any route is looked at: a broken request
/// line, headers too long. It writes a problem document instead of the server's own page. Public
/// because the server makes it by name.
public final class ProblemValve extends ErrorReportValve {
  private static final int BAD_REQUEST = 400;
  private static final int HEADERS_TOO_LARGE = 431;
  private static final int SERVER_ERROR = 500;
  private static final int NOT_IMPLEMENTED = 501;
  private static final int VERSION_NOT_SUPPORTED = 505;

  @Override
  protected void report(Request request, Response response, Throwable throwable) {
    int status = blamed(response.getStatus());
    if (status < BAD_REQUEST || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    String traceId = freshTraceId();
    ProblemDocument problem =
        status >= SERVER_ERROR
            ? ProblemDocument.internal(traceId)
            : ProblemDocument.http(
                status,
                status == HEADERS_TOO_LARGE ? "headers_too_large" : "malformed",
                "no HTTP request that this service reads",
                traceId);
    try {
      ProblemWriter.write(response.getResponse(), problem);
      response.finishResponse();
    } catch (IOException | IllegalStateException _) {
      // Whoever asked is gone; there is nobody to tell.
    }
  }

  /// The trace id of a request that no span was begun for.
  static String freshTraceId() {
    byte[] trace = new byte[16];
    ThreadLocalRandom.current().nextBytes(trace);
    return HexFormat.of().formatHex(trace);
  }

  /// An unknown version, transfer coding or tunnel is the caller's fault, not one of the service.
  private static int blamed(int status) {
    return status == NOT_IMPLEMENTED || status == VERSION_NOT_SUPPORTED ? BAD_REQUEST : status;
  }
}
