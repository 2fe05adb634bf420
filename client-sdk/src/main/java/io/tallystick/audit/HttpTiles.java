package io.tallystick.audit;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/// The public files of a log behind any web server. What fails for a while is asked for again.
public final class HttpTiles implements TileFiles, AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(20);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
  private static final int ATTEMPTS_MAX = 6;
  private static final long BACKOFF_MILLIS = 100;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final String prefix;
  private final HttpClient client;

  /// @param prefix of the log, `https://HOST/l/LEDGER/STRAND`, with or without a slash at its end
  public HttpTiles(URI prefix) {
    this.prefix = prefix.toString().replaceFirst("/*$", "/");
    this.client =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT_MAX)
            .followRedirects(Redirect.NORMAL)
            .build();
  }

  @Override
  public Optional<Bytes> read(String path, int bytesMax) throws IOException, LogFormatException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(prefix + path)).timeout(ANSWER_MAX).build();
    for (int attempt = 1; ; attempt++) {
      try {
        HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
        try (InputStream in = response.body()) {
          int status = response.statusCode();
          if (status == OK) {
            return Optional.of(FolderTiles.bounded(in, path, bytesMax));
          }
          if (status == NOT_FOUND || status == GONE) {
            return Optional.empty();
          }
          boolean passing = status == TOO_MANY || status >= SERVER_ERROR;
          if (!passing || attempt == ATTEMPTS_MAX) {
            throw new IOException(request.uri() + " is answered with status " + status);
          }
        }
      } catch (InterruptedException e) {
        throw interrupted(request, e);
      }
      pause(request, attempt);
    }
  }

  private static void pause(HttpRequest request, int attempt) throws IOException {
    try {
      Thread.sleep(BACKOFF_MILLIS << attempt);
    } catch (InterruptedException e) {
      throw interrupted(request, e);
    }
  }

  private static IOException interrupted(HttpRequest request, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new IOException("interrupted while reading " + request.uri(), cause);
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
