package io.tallystick.master.anchor;

import io.tallystick.master.anchor.AuthorityFailedException.Reason;
import io.tallystick.model.Bytes;
import io.tallystick.time.TimeTokens;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A time authority over HTTP (RFC 3161 section 3.4). It is asked once more when it cannot be
/// reached, or says that it is busy. Thread-safe.
final class TimeAuthority implements AutoCloseable {
  /// The longest token, and what stands around it in an answer.
  static final int ANSWER_BYTES_MAX = TimeTokens.TOKEN_BYTES_MAX + 1_024;

  private static final int ATTEMPTS = 2;
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int OK = 200;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERRORS = 500;

  private final URI uri;
  private final Duration timeout;
  private final HttpClient client;
  private final ExecutorService exchanges =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("time-authority-", 0).factory());

  /// @param timeout for a whole answer, each time it is asked
  TimeAuthority(URI uri, Duration timeout) {
    this.uri = uri;
    this.timeout = timeout;
    this.client =
        HttpClient.newBuilder()
            .version(Version.HTTP_1_1)
            .followRedirects(Redirect.NEVER)
            .connectTimeout(timeout)
            .build();
  }

  URI uri() {
    return uri;
  }

  /// @param query a TimeStampReq
  /// @return a TimeStampResp, not looked at
  Bytes ask(Bytes query) throws AuthorityFailedException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      boolean again = attempt < ATTEMPTS;
      Future<Bytes> exchange = exchanges.submit(() -> exchange(query));
      try {
        return exchange.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException _) {
        exchange.cancel(true);
        throw new AuthorityFailedException(Reason.SLOW, uri, "no answer in " + timeout);
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case BusyException _ when again -> Thread.sleep(PAUSE);
          case BusyException busy ->
              throw new AuthorityFailedException(
                  Reason.WRONG_STATUS, uri, String.valueOf(busy.getMessage()));
          case IOException _ when again -> Thread.sleep(PAUSE);
          case IOException broken ->
              throw new AuthorityFailedException(Reason.UNREACHABLE, uri, broken);
          case AuthorityFailedException failed -> throw failed;
          case null, default -> throw new AssertionError(e);
        }
      }
    }
  }

  /// A status that may be another one soon.
  private static final class BusyException extends Exception {
    private static final long serialVersionUID = 1;

    BusyException(int status) {
      super("status " + status);
    }
  }

  private Bytes exchange(Bytes query)
      throws IOException, InterruptedException, AuthorityFailedException, BusyException {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/timestamp-query")
            .header("Accept", "application/timestamp-reply")
            .POST(BodyPublishers.ofByteArray(query.toArray()))
            .build();
    HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      requireReply(response);
      byte[] answer = body.readNBytes(ANSWER_BYTES_MAX + 1);
      if (answer.length > ANSWER_BYTES_MAX) {
        throw new AuthorityFailedException(
            Reason.TOO_LONG, uri, "more than " + ANSWER_BYTES_MAX + " bytes");
      }
      return Bytes.wrap(answer);
    }
  }

  private void requireReply(HttpResponse<?> response)
      throws AuthorityFailedException, BusyException {
    int status = response.statusCode();
    if (status == TOO_MANY_REQUESTS || status >= SERVER_ERRORS) {
      throw new BusyException(status);
    }
    if (status != OK) {
      throw new AuthorityFailedException(
          Reason.WRONG_STATUS, uri, "status " + status + ", want " + OK);
    }
    String type = response.headers().firstValue("Content-Type").orElse("none");
    if (!type.toLowerCase(Locale.ROOT).matches("application/timestamp-reply\\s*(;.*)?")) {
      throw new AuthorityFailedException(
          Reason.WRONG_CONTENT, uri, "content type " + type + ", want application/timestamp-reply");
    }
  }

  @Override
  public void close() {
    exchanges.shutdownNow();
    client.shutdownNow();
  }
}
