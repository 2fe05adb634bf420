package io.tallystick.cli.option;

import io.tallystick.audit.source.HttpTiles;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.PendingKeeper;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ReadTokens;
import io.tallystick.client.ServiceTarget;
import io.tallystick.client.TallyClient;
import io.tallystick.client.TlsOptions;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options of every command that talks to a service.
public final class ServiceOptions implements PendingKeeper {
  private static final Pattern LEDGER_ID = Pattern.compile("[0-9a-f]{64}");

  /// A command that reaches nobody says so soon; one that is being answered is waited for.
  private static final Duration REPEATS_MAX = Duration.ofSeconds(5);

  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
  private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[::1]");

  /// Writes the stack of what fails to standard error; the command tells it in one line anyway.
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  @Option(
      names = "--service",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      defaultValue = "${env:TALLY_SERVICE:-127.0.0.1:4510}",
      description =
          "Where the service listens, at one address, several, or dns:///NAME:PORT (environment: "
              + "TALLY_SERVICE). Default: ${DEFAULT-VALUE}")
  private String service = "";

  @Option(
      names = "--trust",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_TRUST:-${sys:user.home}/.tallystick/trust}",
      description =
          "The trust directory, which keeps what this user has pinned and verified "
              + "(environment: TALLY_TRUST). Do not lose it. Default: ${DEFAULT-VALUE}")
  private Path trust = Path.of("");

  @Option(
      names = "--reader-key",
      paramLabel = "FILE",
      description =
          "A member's private key, to read ledgers that are not public (environment: "
              + "TALLY_READER_KEY, for --service only)")
  private @Nullable Path readerKey;

  @Option(names = "--tls", description = "Use TLS. Default: only if the service is not on loopback")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      defaultValue = "${env:TALLY_TLS_CA}",
      description =
          "The certificates to trust, in PEM (environment: TALLY_TLS_CA). Implies --tls. "
              + "Default: those that Java trusts")
  private @Nullable Path tlsCa;

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      defaultValue = "${env:TALLY_TLS_CERTIFICATE}",
      description = "The certificate to show the service, in PEM. Implies --tls")
  private @Nullable Path tlsCertificate;

  @Option(
      names = "--tls-private-key",
      paramLabel = "FILE",
      defaultValue = "${env:TALLY_TLS_PRIVATE_KEY}",
      description = "The certificate's private key, PKCS#8 in PEM")
  private @Nullable Path tlsPrivateKey;

  private @Nullable Path keptIn;

  /// For a command that sends what this file holds: the file is kept as it is.
  public void keepsIn(Path file) {
    keptIn = file.toAbsolutePath().normalize();
  }

  @Override
  public Path keep(Bytes sent) throws IOException {
    return keptIn == null ? PendingFile.keep(trust, sent).path() : keptIn;
  }

  public TallyClient connect() throws UsageException, IOException {
    return TallyClient.connect(config());
  }

  /// For a command that a key authorises by a token: that key is the reader unless `--reader-key`
  /// names one. The usual reader of the environment is not asked.
  ///
  /// @param key null: as {@link #connect()}
  TallyClient connectAs(@Nullable Path key) throws UsageException, IOException {
    return TallyClient.connect(configAs(key));
  }

  ClientConfig configAs(@Nullable Path key) throws UsageException, IOException {
    return key == null || readerKey != null ? config() : config().withReader(ClientKey.load(key));
  }

  public ClientConfig config() throws UsageException, IOException {
    LocalPaths.checkNoFile(trust);
    ClientConfig config =
        ClientConfig.of(target(), trust)
            .withRetry(RetryPolicy.DEFAULT.withTimeMax(REPEATS_MAX))
            .withCallTimeout(ANSWER_MAX);
    if (tls || tlsCa != null || tlsCertificate != null || tlsPrivateKey != null) {
      config = config.withTls(tlsOptions());
    }
    Path reader = readerKey();
    return reader == null ? config : config.withReader(ClientKey.load(reader));
  }

  private TlsOptions tlsOptions() throws IOException, UsageException {
    if ((tlsCertificate == null) != (tlsPrivateKey == null)) {
      throw new UsageException("--tls-certificate and --tls-private-key belong together");
    }
    return TlsOptions.of(tlsCa, tlsCertificate, tlsPrivateKey);
  }

  private @Nullable Path readerKey() {
    String usual = System.getenv("TALLY_READER_KEY");
    return readerKey != null || usual == null || usual.isBlank() ? readerKey : Path.of(usual);
  }

  /// The public files of a log behind a web server. A token goes out only if the log asks for one,
  /// and only over TLS or on this machine, to a host for which a key was named.
  ///
  /// @param ledger whose files they are, for the token; null: a log that knows no tokens of ours
  /// @param patience how long a file may take, and a second more for each 64 kB of it that came
  public HttpTiles files(URI prefix, @Nullable LedgerId ledger, Duration patience)
      throws IOException, UsageException {
    boolean sameHost = target().hosts().contains(prefix.getHost());
    Path key = readerKey != null || sameHost ? readerKey() : null;
    boolean safe =
        "https".equals(prefix.getScheme()) || LOOPBACK.matcher(prefix.getHost()).matches();
    if (readerKey != null && ledger != null && !safe) {
      throw new UsageException(
          "no token is sent over " + prefix.getScheme() + " to another machine");
    }
    ReadTokens tokens =
        key == null || ledger == null || !safe ? null : new ReadTokens(ClientKey.load(key));
    if (tokens == null && tlsCa == null && tlsCertificate == null && tlsPrivateKey == null) {
      return new HttpTiles(prefix, patience);
    }
    return new HttpTiles(
        prefix,
        patience,
        tlsOptions().context(),
        () -> tokens == null || ledger == null ? null : tokens.of(ledger));
  }

  /// The trust directory.
  public Path trust() throws IOException {
    LocalPaths.checkNoFile(trust);
    return trust;
  }

  /// For a command that talks to a service: from here on gRPC is quiet.
  ServiceTarget target() throws UsageException {
    GRPC.setLevel(Level.SEVERE);
    try {
      return ServiceTarget.parse(service);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--service " + service + ": " + e.getMessage());
    }
  }

  public static LedgerId ledgerId(String text) throws UsageException {
    if (text.startsWith("@")) { // the command line has replaced the names of files that exist
      String file = text.substring(1);
      throw new UsageException(
          file
              + ", which is to have a ledger id, "
              + (Files.exists(Path.of(file)) ? "is no plain file" : "does not exist"));
    }
    if (!LEDGER_ID.matcher(text).matches()) {
      throw new UsageException(
          "\""
              + text
              + "\" is no ledger id: 64 lower-case hex digits, as `tally ledger list` shows");
    }
    return LedgerId.fromHex(text);
  }

  public static LedgerHandle open(TallyClient client, String ledger, List<Path> keys)
      throws TallyException, UsageException, IOException {
    return client.open(ledgerId(ledger), load(keys).toArray(ClientKey[]::new));
  }

  /// In this order; a key may be given once.
  public static List<ClientKey> load(List<Path> files) throws IOException, UsageException {
    Map<Digest, Path> fileOf = new HashMap<>();
    List<ClientKey> keys = new ArrayList<>();
    for (Path file : files) {
      ClientKey key = ClientKey.load(file);
      Path same = fileOf.putIfAbsent(key.kid(), file);
      if (same != null) {
        throw new UsageException(
            String.format(
                Locale.ROOT,
                "--key %s and --key %s are the same key; give each key once",
                same,
                file));
      }
      keys.add(key);
    }
    return keys;
  }
}
