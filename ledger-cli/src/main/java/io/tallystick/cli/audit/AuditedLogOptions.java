package io.tallystick.cli.audit;

import io.grpc.ManagedChannel;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.CertificateFolder;
import io.tallystick.audit.source.CertificateSource;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.HttpTiles;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.audit.source.RemoteCertificates;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.audit.source.TileFiles;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where an audit has the log from: the service, a saved copy, or public files.
final class AuditedLogOptions implements AutoCloseable {
  private static final Pattern WEB = Pattern.compile("https?://[^/\\s?#]+(/[^\\s?#]*)?");

  @Option(
      names = "--copy",
      paramLabel = "FILE",
      description = "Audit a saved copy of the log instead of asking the service")
  private @Nullable Path copy;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Save a copy of the log to this file first, then audit the copy")
  private @Nullable Path save;

  @Option(
      names = "--tiles",
      paramLabel = "DIR|URL",
      description =
          "Audit the log's public files (C2SP tlog-tiles) instead of asking the service: a "
              + "folder, as export writes it, or a URL")
  private @Nullable String tiles;

  @Option(
      names = "--file-seconds",
      paramLabel = "S",
      defaultValue = "60",
      description =
          "How long a file of a web server may take, in seconds, and a second more for each 64 kB "
              + "of it that came. Default: ${DEFAULT-VALUE}")
  private long fileSeconds = HttpTiles.PATIENCE.toSeconds();

  private static final Pattern LOG_URL = Pattern.compile(".*/l/([0-9a-f]{64})/0/?");

  private @Nullable HttpTiles web;
  private boolean leftOut;

  /// The ledger that was named: by its id, or by the URL of its public files, which ends in the id;
  /// that URL is then where the log is read from. Call it first.
  LedgerId ledger(String text) throws UsageException {
    Matcher url = LOG_URL.matcher(text);
    if (!isWeb(text) || !url.matches()) {
      return ServiceOptions.ledgerId(text);
    }
    if (tiles != null) {
      throw new UsageException("a log's URL and --tiles exclude each other");
    }
    tiles = text;
    return LedgerId.fromHex(url.group(1));
  }

  /// Before anything is read from the service: what would fail at the end of a long audit.
  void check() throws IOException, UsageException {
    if (Stream.of(copy, save, tiles).filter(Objects::nonNull).count() > 1) {
      throw new UsageException("--copy, --save and --tiles exclude each other");
    }
    if (copy != null && !Files.exists(copy)) {
      throw new NoSuchFileException(copy.toString());
    }
    LocalPaths.checkNoFolder(copy);
    LocalPaths.checkNoFolder(save);
    if (save != null && Files.exists(save)) {
      throw new FileAlreadyExistsException(save.toString());
    }
    if (save != null && !Files.isDirectory(folder(save))) {
      throw new NoSuchFileException(folder(save).toString());
    }
    if (tiles != null && !isWeb(tiles)) {
      if (tiles.contains("://")) {
        throw new UsageException("--tiles " + tiles + " is no folder and no http(s) URL");
      }
      Path folder = Path.of(tiles);
      LocalPaths.checkNoFile(folder);
      if (!Files.exists(folder)) {
        throw new NoSuchFileException(tiles);
      }
    }
  }

  /// Where a log's public files are, whoever's log it is.
  ///
  /// @param url of the log; empty if `--tiles` tells
  TileFiles publicFiles(ServiceOptions service, String url) throws IOException, UsageException {
    if (url.isEmpty() == (tiles == null)) {
      throw new UsageException("--log-key needs the URL of a log or --tiles, and one of them");
    }
    if (!url.isEmpty() && !isWeb(url)) {
      throw new UsageException(
          "\"" + url + "\" is no http(s) URL: --log-key needs that of a log, or --tiles");
    }
    tiles = url.isEmpty() ? tiles : url;
    check();
    return files(service, Objects.requireNonNull(tiles), null);
  }

  private TileFiles files(ServiceOptions service, String where, @Nullable LedgerId ledger)
      throws IOException, UsageException {
    if (!isWeb(where)) {
      return new FolderTiles(Path.of(where));
    }
    HttpTiles opened = service.files(URI.create(where), ledger, patience());
    web = opened;
    return opened;
  }

  private Duration patience() throws UsageException {
    if (fileSeconds < 1 || fileSeconds > HttpTiles.PATIENCE_MAX.toSeconds()) {
      throw new UsageException("--file-seconds is 1 to " + HttpTiles.PATIENCE_MAX.toSeconds());
    }
    return Duration.ofSeconds(fileSeconds);
  }

  private static boolean isWeb(String text) {
    try {
      return WEB.matcher(text).matches() && URI.create(text).getHost() != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Path folder(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file : parent;
  }

  /// @param bodies whether salts and bodies are wanted
  LogSource source(ServiceOptions service, ManagedChannel channel, LedgerId ledger, boolean bodies)
      throws IOException, LogFormatException, UsageException, AuditLimitException {
    if (tiles != null) {
      TileFiles files = files(service, tiles, ledger);
      leftOut = bodies && TileLogSource.withoutBodies(files);
      return new TileLogSource(files, bodies && !leftOut);
    }
    if (copy != null) {
      return new LogCopySource(copy);
    }
    RemoteLogSource remote =
        new RemoteLogSource(channel, new StrandId(ledger, 0), bodies || save != null);
    if (save == null) {
      return remote;
    }
    Optional<Bytes> cosigned = remote.cosigned();
    LogCopy.save(remote, save);
    return new SavedLog(new LogCopySource(save), cosigned, remote);
  }

  /// Whether the log is read from the service itself.
  boolean asksService() {
    return copy == null && tiles == null;
  }

  /// Whether the files that were opened say that they are without the bodies that were wanted.
  boolean leftOut() {
    return leftOut;
  }

  /// A copy that was saved just now, what the service had cosigned before, and the service, which
  /// still joins heads below what is left of a purged log.
  private record SavedLog(LogSource copy, Optional<Bytes> cosigned, LogSource service)
      implements LogSource {
    @Override
    public LogReader open() throws IOException, LogFormatException {
      return copy.open();
    }

    @Override
    public LogReader open(long jsn, long source) throws IOException, LogFormatException {
      return copy.open(jsn, source);
    }

    @Override
    public Optional<Bytes> keyChain() throws IOException, LogFormatException {
      return copy.keyChain();
    }

    @Override
    public Optional<PurgedStart> purged() throws IOException, LogFormatException {
      return copy.purged();
    }

    @Override
    public Optional<InputStream> purgedClues() throws IOException, LogFormatException {
      return copy.purgedClues();
    }

    @Override
    public Optional<InputStream> purgedState() throws IOException, LogFormatException {
      return copy.purgedState();
    }

    @Override
    public Optional<ConsistencyProof> consistency(long from, long to)
        throws IOException, LogFormatException {
      return service.consistency(from, to);
    }

    @Override
    public Optional<Bytes> leafHashes(long index, int width)
        throws IOException, LogFormatException {
      return service.leafHashes(index, width);
    }
  }

  /// Where the certificates are that its grants name; nowhere beside a copy and files of the web.
  CertificateSource certificates(ManagedChannel channel, LedgerId ledger) {
    if (tiles != null && !isWeb(tiles)) {
      return CertificateFolder.beside(Path.of(tiles));
    }
    return tiles == null && copy == null
        ? new RemoteCertificates(channel, ledger)
        : CertificateSource.NONE;
  }

  @Override
  public void close() {
    if (web != null) {
      web.close();
    }
  }
}
