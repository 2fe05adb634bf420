package io.tallystick.audit;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/// The public files of a log behind any web server. What fails for a while is asked for again.
public final class HttpTiles implements TileFiles, AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(20);
  private static final long ANSWER_MILLIS_MAX = 60_000;

  /// A file may take so long, and longer the longer it may be: 64 kB a second is enough.
  private static final int BYTES_PER_MILLI_MIN = 64;

  private static final int ATTEMPTS_MAX = 6;
  private static final long BACKOFF_MILLIS = 100;
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;
  private static final int PROBLEM_BYTES_MAX = 4 << 10;

  /// In the problem document of a service that finds its own store damaged: no passing failure.
  private static final Pattern DAMAGED = Pattern.compile("\"code\"\\s*:\\s*\"damaged\"");

  private final String prefix;
  private final HttpClient client;
  private final Supplier<@Nullable String> token;
  private volatile boolean wantsToken;

  /// @param prefix of the log, `https://HOST/l/LEDGER/STRAND`, with or without a slash at its end
  public HttpTiles(URI prefix) {
    this(prefix, HttpClient.newBuilder(), Redirect.NORMAL, () -> null);
  }

  /// Files that may need a bearer token, or issuers of their own. No redirect is followed: it could
  /// carry the token elsewhere.
  ///
  /// @param token asked for each file once the first was refused without one; null: none is sent
  public HttpTiles(URI prefix, SSLContext tls, Supplier<@Nullable String> token) {
    this(prefix, HttpClient.newBuilder().sslContext(tls), Redirect.NEVER, token);
  }

  private HttpTiles(
      URI prefix, HttpClient.Builder client, Redirect redirect, Supplier<@Nullable String> token) {
    this.prefix = prefix.toString().replaceFirst("/*$", "/");
    this.client = client.connectTimeout(CONNECT_MAX).followRedirects(redirect).build();
    this.token = token;
  }

  @Override
  public Optional<Bytes> read(String path, int bytesMax) throws IOException, LogFormatException {
    URI uri = URI.create(prefix + path);
    for (int attempt = 1; ; attempt++) {
      try {
        String bearer = wantsToken ? token.get() : null;
        HttpResponse<byte[]> response = ask(uri, bytesMax, bearer);
        int status = response.statusCode();
        if (status == UNAUTHORIZED && bearer == null && token.get() != null) {
          wantsToken = true;
          continue;
        }
        if (status == OK) {
          return Optional.of(whole(response.body(), path, bytesMax));
        }
        if (status == NOT_FOUND || status == GONE) {
          return Optional.empty();
        }
        if (status == SERVER_ERROR && DAMAGED.matcher(text(response)).find()) {
          throw LogFormatException.damaged("the service says that it holds " + path + " damaged");
        }
        boolean passing = status == TOO_MANY || status >= SERVER_ERROR;
        if (!passing || attempt == ATTEMPTS_MAX) {
          throw new UnreachableException(
              uri
                  + " is answered with status "
                  + status
                  + (status == UNAUTHORIZED ? ": it needs the token of a member" : ""));
        }
      } catch (ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        if (!(cause instanceof IOException)) {
          throw new AssertionError("asking for " + uri + " failed in an unforeseen way", cause);
        }
        // Nobody is there, or nobody we know: that is no passing failure.
        boolean passing =
            !(cause instanceof ConnectException || cause instanceof SSLHandshakeException);
        if (!passing || attempt == ATTEMPTS_MAX) {
          throw new UnreachableException("cannot read " + uri + ": " + words(cause), cause);
        }
      } catch (TimeoutException e) {
        if (attempt == ATTEMPTS_MAX) {
          throw new UnreachableException(uri + " did not come in time", e);
        }
      } catch (InterruptedException e) {
        throw interrupted(uri, e);
      }
      pause(uri, attempt);
    }
  }

  private HttpResponse<byte[]> ask(URI uri, int bytesMax, @Nullable String bearer)
      throws ExecutionException, TimeoutException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(
            request(uri, bearer),
            head ->
                head.statusCode() == OK
                    ? new BoundedBody(bytesMax)
                    : new BoundedBody(PROBLEM_BYTES_MAX));
    try {
      long millis = ANSWER_MILLIS_MAX + bytesMax / BYTES_PER_MILLI_MIN;
      return answer.get(millis, TimeUnit.MILLISECONDS);
    } finally {
      answer.cancel(true);
    }
  }

  private static HttpRequest request(URI uri, @Nullable String bearer) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    return (bearer == null ? request : request.header("Authorization", "Bearer " + bearer)).build();
  }

  private static String text(HttpResponse<byte[]> problem) {
    return new String(problem.body(), StandardCharsets.UTF_8);
  }

  private static Bytes whole(byte[] content, String path, int bytesMax) throws LogFormatException {
    if (content.length > bytesMax) {
      throw FolderTiles.tooLong(path, bytesMax);
    }
    return Bytes.wrap(content);
  }

  /// Some failures of the JDK's client have no message.
  private static String words(Throwable failure) {
    return Objects.requireNonNullElse(failure.getMessage(), failure.getClass().getSimpleName());
  }

  private static void pause(URI uri, int attempt) throws IOException {
    try {
      Thread.sleep(BACKOFF_MILLIS << attempt);
    } catch (InterruptedException e) {
      throw interrupted(uri, e);
    }
  }

  private static IOException interrupted(URI uri, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new IOException("interrupted while reading " + uri, cause);
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
