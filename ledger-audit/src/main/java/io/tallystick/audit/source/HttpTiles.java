package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.UnreachableException;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProxySelector;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultRedirectStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;

/// The public files of a log behind any web server. What fails for a while is asked for again.
public final class HttpTiles implements TileFiles, AutoCloseable {
  /// No fewer than {@link BundlePrefetch} asks for at a time.
  private static final int CONNECTIONS_MAX = 32;

  private static final long CONNECT_MILLIS_MAX = 20_000;

  /// How long a file may take, and a second more for each 64 kB of it that came.
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Beyond which nobody waits.
  public static final Duration PATIENCE_MAX = Duration.ofHours(1);

  private static final int BYTES_PER_MILLI_MIN = 64;
  private static final long WATCH_MILLIS = 250;

  private static final int ATTEMPTS_MAX = 6;

  /// A server that is slow twice is slow.
  private static final int SLOW_ATTEMPTS_MAX = 2;

  private static final long BACKOFF_MILLIS = 100;
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;
  private static final int PROBLEM_BYTES_MAX = 4 << 10;
  private static final int HEADER_BYTES_MAX = 8 << 10;
  private static final int HEADERS_MAX = 100;
  private static final int REDIRECTS_MAX = 5;

  /// The most bytes kept ready for an answer that announces much; the buffer grows with what comes.
  private static final int BODY_BYTES_FIRST_MAX = 1 << 20;

  private static final int BODY_BYTES_FIRST_MIN = 256;

  private static final Pattern PAGE =
      Pattern.compile(
          "(text/html|application/(xhtml\\+xml|xml|json|problem\\+json)|text/xml)\\b.*");

  private static final Pattern BEGIN =
      Pattern.compile("\\s*(<(!|html|head|body|\\?xml)|[{\\[])", Pattern.CASE_INSENSITIVE);

  /// In the problem document of a service that finds its own store damaged: no passing failure.
  private static final Pattern DAMAGED = Pattern.compile("\"code\"\\s*:\\s*\"damaged\"");

  private final String prefix;
  private final long patienceMillis;
  private final CloseableHttpClient client;
  private final Supplier<@Nullable String> token;
  private final ScheduledThreadPoolExecutor deadlines = deadlines();
  private volatile boolean wantsToken;

  /// @param prefix of the log, `https://HOST/l/LEDGER/STRAND`, with or without a slash at its end
  public HttpTiles(URI prefix) {
    this(prefix, PATIENCE);
  }

  /// @param patience how long a file may take, and a second more for each 64 kB of it that came
  public HttpTiles(URI prefix, Duration patience) {
    this.prefix = withSlash(prefix);
    this.patienceMillis = patience.toMillis();
    this.client = client(null, patienceMillis).setRedirectStrategy(new NeverToPlain()).build();
    this.token = () -> null;
  }

  /// Files that may need a bearer token, or issuers of their own. No redirect is followed: it could
  /// carry the token elsewhere.
  ///
  /// @param token asked for each file once the first was refused without one; null: none is sent
  public HttpTiles(
      URI prefix, Duration patience, SSLContext tls, Supplier<@Nullable String> token) {
    this.prefix = withSlash(prefix);
    this.patienceMillis = patience.toMillis();
    this.client = client(tls, patienceMillis).disableRedirectHandling().build();
    this.token = token;
  }

  /// A timeout of the connection bounds only how long it is silent.
  private static ScheduledThreadPoolExecutor deadlines() {
    ScheduledThreadPoolExecutor deadlines =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("audit-deadlines").factory());
    deadlines.setRemoveOnCancelPolicy(true);
    return deadlines;
  }

  private static String withSlash(URI prefix) {
    return prefix.toString().replaceFirst("/*$", "/");
  }

  /// @param tls null: the issuers this machine trusts
  private static HttpClientBuilder client(@Nullable SSLContext tls, long patienceMillis) {
    // A head without bounds would fill the memory.
    Http1Config bounds =
        Http1Config.custom()
            .setMaxLineLength(HEADER_BYTES_MAX)
            .setMaxHeaderCount(HEADERS_MAX)
            .build();
    var connections =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setConnectionFactory(
                ManagedHttpClientConnectionFactory.builder().http1Config(bounds).build())
            .setMaxConnTotal(CONNECTIONS_MAX)
            .setMaxConnPerRoute(CONNECTIONS_MAX)
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(
                        Math.min(CONNECT_MILLIS_MAX, patienceMillis), TimeUnit.MILLISECONDS)
                    .setSocketTimeout((int) patienceMillis, TimeUnit.MILLISECONDS)
                    .build());
    if (tls != null) {
      connections.setTlsSocketStrategy(new DefaultClientTlsStrategy(tls));
    }
    return HttpClients.custom()
        .setConnectionManager(connections.build())
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(patienceMillis, TimeUnit.MILLISECONDS)
                .setResponseTimeout(patienceMillis, TimeUnit.MILLISECONDS)
                .setProtocolUpgradeEnabled(false)
                .setMaxRedirects(REDIRECTS_MAX)
                .build())
        .setProxySelector(ProxySelector.getDefault())
        .setUserAgent("tallystick")
        .disableAutomaticRetries()
        .disableAuthCaching()
        .disableContentCompression()
        .disableCookieManagement();
  }

  /// Follows redirects, but never from TLS to what anybody may change on its way.
  private static final class NeverToPlain extends DefaultRedirectStrategy {
    @Override
    public boolean isRedirectAllowed(
        HttpHost current, HttpHost next, HttpRequest request, HttpContext context) {
      return super.isRedirectAllowed(current, next, request, context)
          && !("https".equals(current.getSchemeName()) && !"https".equals(next.getSchemeName()));
    }
  }

  /// @param body of a file no more than it may have and one byte, so that its reader sees that it
  ///   was longer; of anything else its beginning
  ///
  /// @param type as the server says; empty if it does not
  private record Answer(int status, String type, Bytes body) {
    /// A file of a log is none of these, whatever a server calls it: a sign-in, a list of what is
    /// in a folder, an error that comes with status 200.
    Optional<String> page() {
      return PAGE.matcher(type).matches() && BEGIN.matcher(text()).lookingAt()
          ? Optional.of(type)
          : Optional.empty();
    }

    String text() {
      return new String(body.unsafeArray(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public Optional<Bytes> read(String path, int bytesMax) throws IOException, LogFormatException {
    URI uri = URI.create(prefix + path);
    for (int attempt = 1; ; attempt++) {
      try {
        String bearer = wantsToken ? token.get() : null;
        Answer answer = ask(uri, bytesMax, bearer);
        int status = answer.status();
        if (status == UNAUTHORIZED && bearer == null && token.get() != null) {
          wantsToken = true;
          continue;
        }
        if (status == OK) {
          Optional<String> page = answer.page();
          if (page.isPresent()) {
            throw new UnreachableException(
                String.format(
                    Locale.ROOT,
                    "%s is no Tallystick log: %s was answered with %s",
                    prefix,
                    path,
                    page.get()));
          }
          return Optional.of(whole(answer.body(), path, bytesMax));
        }
        if (status == NOT_FOUND || status == GONE) {
          return Optional.empty();
        }
        if (status == SERVER_ERROR && DAMAGED.matcher(answer.text()).find()) {
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
      } catch (UnreachableException e) {
        throw e;
      } catch (IOException e) {
        boolean slow = e instanceof SocketTimeoutException && attempt == SLOW_ATTEMPTS_MAX;
        if (!passing(e) || slow || attempt == ATTEMPTS_MAX) {
          throw new UnreachableException(
              e instanceof SocketTimeoutException
                  ? uri + " did not come in time"
                  : "cannot read " + uri + ": " + words(e),
              e);
        }
      }
      pause(uri, attempt);
    }
  }

  /// No host, a host whose certificate is not trusted, or an answer without bounds is no passing
  /// failure. Nor is an interrupt.
  private static boolean passing(IOException failure) {
    return switch (failure) {
      case ConnectException _, UnknownHostException _, SSLHandshakeException _ -> false;
      case SocketTimeoutException _, ConnectionRequestTimeoutException _ -> true;
      case InterruptedIOException _, MessageConstraintException _ -> false;
      default -> true;
    };
  }

  private Answer ask(URI uri, int bytesMax, @Nullable String bearer) throws IOException {
    HttpGet request = new HttpGet(uri);
    if (bearer != null) {
      request.setHeader("Authorization", "Bearer " + bearer);
    }
    Watch watch = new Watch(request);
    Future<?> watching =
        deadlines.scheduleWithFixedDelay(watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    boolean whole = false;
    ClassicHttpResponse response = null;
    try {
      response = client.executeOpen(null, request, null);
      int status = response.getCode();
      int wanted = status == OK ? bytesMax : PROBLEM_BYTES_MAX;
      byte[] body = body(response.getEntity(), wanted, watch);
      whole = body.length <= wanted;
      return new Answer(status, type(response.getEntity()), Bytes.wrap(body));
    } catch (IOException e) {
      if (watch.late) {
        SocketTimeoutException late = new SocketTimeoutException("too slow");
        late.initCause(e);
        throw late;
      }
      throw e;
    } catch (IllegalStateException e) {
      throw new InterruptedIOException("closed while reading");
    } finally {
      watching.cancel(false);
      if (!whole) {
        request.abort(); // closing alone would read on, to use the connection again
      }
      close(response);
    }
  }

  /// Gives a file up that takes longer than what came of it allows, however little is silent.
  private final class Watch implements Runnable {
    private final HttpGet request;
    private final long started = System.nanoTime();
    private volatile long bytes;
    private volatile boolean late;

    Watch(HttpGet request) {
      this.request = request;
    }

    @Override
    public void run() {
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
      if (millis > patienceMillis + bytes / BYTES_PER_MILLI_MIN) {
        late = true;
        request.abort();
      }
    }
  }

  private static String type(@Nullable HttpEntity entity) {
    return entity == null
        ? ""
        : Objects.requireNonNullElse(entity.getContentType(), "").toLowerCase(Locale.ROOT);
  }

  private static void close(@Nullable ClassicHttpResponse response) {
    try {
      if (response != null) {
        response.close();
      }
    } catch (IOException _) {
      // It was read, or given up: nothing more is wanted of its connection.
    }
  }

  /// @return one byte more than wanted if there are more
  private static byte[] body(@Nullable HttpEntity entity, int wanted, Watch watch)
      throws IOException {
    if (entity == null) {
      return new byte[0];
    }
    InputStream in = entity.getContent();
    int end = Math.addExact(wanted, 1);
    long announced = entity.getContentLength() + 1;
    byte[] bytes =
        new byte[Math.min(end, Math.clamp(announced, BODY_BYTES_FIRST_MIN, BODY_BYTES_FIRST_MAX))];
    int length = 0;
    for (int read = 0; read >= 0 && length < end; length += Math.max(read, 0)) {
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(2L * length, end));
      }
      read = in.read(bytes, length, bytes.length - length);
      watch.bytes = (long) length + Math.max(read, 0);
    }
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  private static Bytes whole(Bytes content, String path, int bytesMax) throws LogFormatException {
    if (content.size() > bytesMax) {
      throw FolderTiles.tooLong(path, bytesMax);
    }
    return content;
  }

  /// Some failures have no message.
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
  public IOException noLog(String why) {
    return new UnreachableException(prefix + " is no Tallystick log: " + why);
  }

  @Override
  public void close() {
    deadlines.shutdownNow();
    client.close(CloseMode.IMMEDIATE);
  }
}
