package io.tallystick.cli.audit;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.UnreachableException;
import io.tallystick.audit.options.GossipOptions;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.source.HttpTiles;
import io.tallystick.cli.option.EvidenceOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.SignedNote;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The heads of others that a log is compared with, and where heads that contradict it are kept.
final class CompareOptions {
  private static final String KEPT = "contradictions";
  private static final int ROOT_DIGITS = 16;

  @Option(
      names = "--compare",
      paramLabel = "FILE|URL",
      description =
          "A head that somebody else has of this ledger: a checkpoint, a trust directory's head "
              + "file, another auditor's statement, or the URL of a checkpoint. Repeat it for more")
  private List<String> places = List.of();

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "Where signed heads that contradict each other are written, for `evidence fork`. "
              + "Default: the trust directory")
  private @Nullable Path keep;

  boolean asked() {
    return !places.isEmpty() || keep != null;
  }

  /// Reads them all, before the log.
  ///
  /// @param demanded whether witnesses are demanded, so that the log's source is heard as well
  List<OtherHead> heads(ServiceOptions service, LedgerId ledger, boolean demanded)
      throws IOException, UsageException, ProofRejectedException {
    if (places.isEmpty() && !demanded && keep != null) {
      throw new UsageException("--keep needs --compare or --witness");
    }
    if (places.size() > GossipOptions.OTHERS_MAX) {
      throw new UsageException("--compare: at most " + GossipOptions.OTHERS_MAX + " heads");
    }
    LocalPaths.checkNoFile(keep);
    List<OtherHead> heads = new ArrayList<>();
    for (String place : places) {
      Bytes content = isWeb(place) ? fetched(service, place, ledger) : stored(Path.of(place));
      heads.add(head(place, content, new StrandId(ledger, 0)));
    }
    return heads;
  }

  /// The head in these bytes. Bytes that are no head at all contradict nobody.
  private static OtherHead head(String place, Bytes content, StrandId strand)
      throws IOException, ProofRejectedException {
    try {
      return OtherHead.of(place, content, strand);
    } catch (ProofRejectedException e) {
      if (e.reason() != Reason.MALFORMED) {
        throw e;
      }
      throw isWeb(place)
          ? new UnreachableException(place + " is no signed head: " + e.getMessage())
          : LocalPaths.wrongForm(Path.of(place), "signed head", e);
    }
  }

  private static boolean isWeb(String place) {
    return place.startsWith("http://") || place.startsWith("https://");
  }

  private static Bytes stored(Path file) throws IOException, ProofRejectedException {
    try {
      return TrustedLog.statementIn(EvidenceOptions.read(file));
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "signed head", e);
    }
  }

  private static Bytes fetched(ServiceOptions service, String url, LedgerId ledger)
      throws IOException, UsageException, ProofRejectedException {
    int query = url.indexOf('?');
    int slash = url.lastIndexOf('/', query < 0 ? url.length() : query);
    URI prefix;
    try {
      prefix = URI.create(url.substring(0, slash));
    } catch (IllegalArgumentException _) {
      throw new UsageException("--compare " + url + " is no URL");
    }
    if (prefix.getHost() == null) {
      throw new UsageException("--compare " + url + " is no URL of a checkpoint");
    }
    try (HttpTiles files = service.files(prefix, ledger, HttpTiles.PATIENCE)) {
      return files
          .read(url.substring(slash + 1), SignedNote.NOTE_BYTES_MAX)
          .orElseThrow(() -> new UnreachableException(url + " does not exist"));
    } catch (LogFormatException e) {
      throw new ProofRejectedException(Reason.MALFORMED, url + ": " + e.getMessage(), e);
    }
  }

  /// Writes the signed heads that contradict the log, the source's own cosigned checkpoint among
  /// them, and before them the log's head. That is written only if one of them has at most its
  /// size: a larger one convicts nobody without the leaves up to its size.
  ///
  /// @return the files; empty if nothing contradicts it, or not in the service's own words
  List<Path> keep(AuditReport report, ServiceOptions service) throws IOException {
    List<OtherHead> heads = report.heard();
    List<Path> kept = new ArrayList<>();
    boolean convicts = false;
    List<AuditGossip.Head> judged = report.gossip().heads();
    for (int i = 0; i < Math.min(heads.size(), judged.size()); i++) {
      OtherHead other = heads.get(i);
      if (judged.get(i).outcome() == AuditGossip.Outcome.CONTRADICTED
          && other.statement().isPresent()) {
        String name = name("theirs", other.size().value(), other.root().digest().hex());
        kept.add(write(folder(report, service), name, other.statement().get()));
        convicts |= other.size().compareTo(report.size()) <= 0;
      }
    }
    if (convicts && report.signed().isPresent()) {
      var own = report.signed().get();
      String name = name("ours", own.size().value(), own.root().digest().hex());
      kept.addFirst(write(folder(report, service), name, own.evidence().encoded()));
    }
    return kept;
  }

  private static String name(String whose, long size, String root) {
    return String.format(Locale.ROOT, "%s-%d-%s", whose, size, root.substring(0, ROOT_DIGITS));
  }

  private Path folder(AuditReport report, ServiceOptions service) throws IOException {
    return keep != null
        ? keep
        : service.trust().resolve(report.strand().ledger().hex()).resolve(KEPT);
  }

  private static Path write(Path folder, String name, Bytes statement) throws IOException {
    Path file = folder.resolve(name);
    try {
      Files.createDirectories(folder);
      return Files.write(file, statement.toArray());
    } catch (IOException e) {
      throw LocalPaths.notWritten(file, e);
    }
  }

  /// For people: what was kept, and what to do with it.
  static String words(List<Path> kept, LedgerId ledger) {
    if (kept.isEmpty()) {
      return "";
    }
    StringBuilder words = new StringBuilder();
    kept.forEach(
        file -> words.append(String.format(Locale.ROOT, "%nkept     %s", LocalPaths.shown(file))));
    if (kept.size() > 1) {
      words.append(
          String.format(
              Locale.ROOT,
              "%n         make evidence: tally evidence fork %s %s %s --log COPY --out FILE",
              ledger,
              kept.getFirst(),
              kept.get(1)));
    }
    return words.toString();
  }
}
