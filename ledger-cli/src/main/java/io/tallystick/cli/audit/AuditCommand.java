package io.tallystick.cli.audit;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.CertificateOptions;
import io.tallystick.audit.options.GossipOptions;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogSource;
import io.tallystick.cli.option.CommandHashing;
import io.tallystick.cli.option.EvidenceOptions;
import io.tallystick.cli.option.GpuOptions;
import io.tallystick.cli.option.MaxAgeOption;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.Anchor;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.GpuMode;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Witnesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Audits a whole ledger from outside.
@Command(
    name = "audit",
    description = {
      "Audit a whole ledger from outside.",
      "Every leaf, root, block, member, signature and body is checked. The log must "
          + "continue the newest head in the trust directory, if there is one.",
      "With --log-key only the tree of a C2SP log is audited.",
      "Exit status 4 if there is a fault; the first faulty jsn is named."
    },
    mixinStandardHelpOptions = true)
public final class AuditCommand implements Callable<Integer> {
  private static final int EVERY_SECONDS_MAX = 86_400;
  private static final double MILLIS_PER_SECOND = 1000.0;

  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private AuditedLogOptions log = new AuditedLogOptions();
  @Mixin private TimeAuditOptions time = new TimeAuditOptions();
  @Mixin private TLedgerAuditOptions tLedger = new TLedgerAuditOptions();
  @Mixin private WitnessAuditOptions witness = new WitnessAuditOptions();
  @Mixin private CompareOptions compare = new CompareOptions();
  @Mixin private CertificateAuditOptions certificates = new CertificateAuditOptions();
  @Mixin private TreeAuditOptions tree = new TreeAuditOptions();
  @Mixin private MaxAgeOption maxAge = new MaxAgeOption();
  @Mixin private GpuOptions gpu = new GpuOptions();
  @Mixin private Output output = new Output();

  @Parameters(
      arity = "0..1",
      paramLabel = "LEDGER|URL",
      description =
          "The ledger id, or the URL of a public log, https://HOST/l/LEDGER/0. With "
              + "--log-key the URL of any log, or nothing if --tiles is given")
  private String ledgerId = "";

  @Option(
      names = "--threads",
      description = "How many threads check. Default: one for each processor")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description =
          "The folder in which a statement of how far the audit came is kept, signed with "
              + "--key. The next audit goes on from there")
  private @Nullable Path state;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "The auditor's own private key, as keygen makes it; with --state")
  private @Nullable Path key;

  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      description = "The least time between two statements, in seconds; with --state. Default: 5")
  private @Nullable Double everySeconds;

  @Option(
      names = "--no-bodies",
      description = "Do not check salts and bodies, only that the journals were appended")
  private boolean withoutBodies;

  @Option(
      names = "--from-anchor",
      paramLabel = "FILE",
      description =
          "A trusted anchor, as `tally anchor get --out` writes it: below its size signatures "
              + "and bodies of ordinary journals are taken on its signer's word")
  private @Nullable Path fromAnchor;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write the report to this new file, as one page that needs no other")
  private @Nullable Path html;

  private static final String LEFT_OUT =
      System.lineSeparator() + "copy     says that it is without bodies; the service has them";

  @Override
  public Integer call() throws Exception {
    try (AuditedLogOptions _ = log) {
      return tree.isAsked() ? auditTree() : auditLedger();
    }
  }

  private int auditTree() throws Exception {
    if (withoutBodies
        || gpu.mode() == GpuMode.REQUIRE
        || time.asked()
        || tLedger.asked()
        || witness.asked()
        || compare.asked()
        || certificates.asked()
        || maxAge.asked()
        || Stream.of(state, key, everySeconds, fromAnchor, html).anyMatch(Objects::nonNull)) {
      throw new UsageException(
          "--log-key asks for the tree alone: --state, --key, --every, --no-bodies, --tsa-ca,"
              + " --max-window, --ca, --certificates, --t-ledger, --heads, --from-anchor, --witness,"
              + " --quorum, --compare, --keep, --html, --max-age and --gpu require are of a ledger's audit");
    }
    return tree.audit(log.publicFiles(service, ledgerId), output);
  }

  private int auditLedger() throws Exception {
    tree.checkNotAsked();
    if (ledgerId.isEmpty()) {
      throw new UsageException("which LEDGER or URL is to be audited?");
    }
    LedgerId ledger = log.ledger(ledgerId);
    checkOptions();
    tLedger.check();
    log.check();
    LocalPaths.checkNoFile(state);
    checkHtml();
    try (CommandHashing hashing = CommandHashing.open(gpu.mode(), output.err())) {
      return audit(ledger, hashing.hasher());
    }
  }

  private int audit(LedgerId ledger, BatchHasher hasher) throws Exception {
    TimeOptions judging = time.options();
    Optional<Witnesses> witnesses = witness.witnesses();
    List<OtherHead> others = compare.heads(service, ledger, witnesses.isPresent());
    Optional<AuditStatements> statements = statements();
    Signatures signatures = SignatureProviders.best();
    Optional<SignedHead> trusted =
        TrustedLog.saved(service.config().trustDirectory(), ledger, signatures);
    ManagedChannel channel = ServiceChannel.reading(service.config(), ledger);
    try {
      CertificateOptions certified = certificates.options(log.certificates(channel, ledger));
      LogSource source = log.source(service, channel, ledger, !withoutBodies);
      if (log.leftOut()) {
        leaveOut();
      }
      AuditReport report =
          audit(
              signatures,
              source,
              ledger,
              options(judging(ledger, judging, hasher, signatures), hasher, trusted, signatures)
                  .withGossip(new GossipOptions(others, witnesses))
                  .withCertificates(certified),
              statements);
      if (html != null) {
        LocalPaths.writeNew(html, AuditPage.of(report).getBytes(StandardCharsets.UTF_8));
      }
      List<Path> kept = compare.keep(report, service);
      output.print(
          AuditText.of(report).strip()
              + (log.leftOut() ? LEFT_OUT : "")
              + CompareOptions.words(kept, ledger)
              + System.lineSeparator()
              + compared(trusted),
          object(report, trusted, kept));
      if (report.firstFault().isPresent()) {
        return ExitCode.EVIDENCE;
      }
      if (report.age().isPresent()) {
        maxAge.check(report.size(), report.age().get());
      }
      return ExitCode.OK;
    } finally {
      channel.shutdownNow();
    }
  }

  private void leaveOut() throws UsageException {
    if (tLedger.heads()) {
      throw new UsageException("--heads reads bodies, and this copy says that it is without them");
    }
    withoutBodies = true;
  }

  private void checkOptions() throws UsageException {
    if (threads < 1 || threads > AuditOptions.THREADS_MAX) {
      throw new UsageException("--threads is 1 to " + AuditOptions.THREADS_MAX);
    }
    if ((state == null) != (key == null)) {
      throw new UsageException("--state and --key belong together");
    }
    if (tLedger.heads() && (state != null || withoutBodies || fromAnchor != null)) {
      throw new UsageException(
          "--heads reads the whole T-Ledger, bodies included: without --state, --no-bodies and"
              + " --from-anchor");
    }
    if (fromAnchor != null && state != null) {
      throw new UsageException(
          "--from-anchor and --state exclude each other: a statement says what its auditor has checked");
    }
    if (everySeconds != null && state == null) {
      throw new UsageException("--every says how often to state; it needs --state and --key");
    }
    // Written so that it also holds for what is no number.
    if (everySeconds != null && !(everySeconds >= 0 && everySeconds <= EVERY_SECONDS_MAX)) {
      throw new UsageException("--every is 0 to " + EVERY_SECONDS_MAX);
    }
  }

  private void checkHtml() throws IOException {
    LocalPaths.checkNoFolder(html);
    if (html != null && Files.exists(html)) {
      throw new FileAlreadyExistsException(html.toString());
    }
    Path folder = html == null ? null : html.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
  }

  private static String compared(Optional<SignedHead> trusted) {
    return trusted
        .map(head ->
            String.format(
                Locale.ROOT, "Compared with the head of %s leaves trusted before.", head.size()))
        .orElse("No earlier head of this ledger is trusted here to compare with.");
  }

  private static Map<String, Object> object(
      AuditReport report, Optional<SignedHead> trusted, List<Path> kept) {
    Map<String, Object> object = Output.object("audit", AuditSummary.of(report));
    if (!kept.isEmpty()) {
      object.put("kept", kept.stream().map(Path::toString).toList());
    }
    trusted.ifPresent(head -> object.put("trustedSize", head.size().value()));
    return object;
  }

  /// With the T-Ledgers that were named, which are audited first.
  private TimeOptions judging(
      LedgerId ledger, TimeOptions judging, BatchHasher hasher, Signatures signatures)
      throws Exception {
    return judging.withTLedgers(tLedger.trusted(ledger, options(judging, hasher), signatures));
  }

  private AuditOptions options(TimeOptions judging, BatchHasher hasher) {
    return AuditOptions.defaults().withThreads(threads).withTime(judging).withHasher(hasher);
  }

  private AuditOptions options(
      TimeOptions judging, BatchHasher hasher, Optional<SignedHead> trusted, Signatures signatures)
      throws Exception {
    AuditOptions options = options(judging, hasher);
    options = withoutBodies ? options.withoutBodies() : options;
    options = tLedger.heads() ? options.withSubmitters(tLedger.submitters(signatures)) : options;
    options = fromAnchor == null ? options : options.fromAnchor(anchor(fromAnchor));
    options = state == null ? options : options.withFolder(state);
    return trusted.isPresent() ? options.withTrustedHead(trusted.get()) : options;
  }

  /// The bytes of a trusted anchor's file. One that holds no anchor at all is a wrong file; whose
  /// it is, and of what, the audit judges.
  private static Bytes anchor(Path file) throws IOException {
    Bytes encoded = EvidenceOptions.read(file);
    try {
      Anchor.Signed _ = Anchor.decode(encoded, new StrandId(new LedgerId(Digest.ZERO), 0));
    } catch (ProofRejectedException e) {
      if (e.reason() == Reason.MALFORMED) {
        throw LocalPaths.wrongForm(file, "trusted anchor", e);
      }
    }
    return encoded;
  }

  private AuditReport audit(
      Signatures signatures,
      LogSource source,
      LedgerId ledger,
      AuditOptions options,
      Optional<AuditStatements> statements)
      throws Exception {
    Progress progress = output.progress("leaves");
    AuditOptions shown = options.withProgress((done, total, _) -> progress.update(done, total));
    Auditor auditor = new Auditor(signatures);
    AuditReport report =
        statements.isEmpty()
            ? auditor.audit(ledger, source, shown)
            : auditor.audit(new StrandId(ledger, 0), source, shown, statements.get());
    progress.end();
    return report;
  }

  private Optional<AuditStatements> statements() throws IOException {
    if (state == null || key == null) {
      return Optional.empty();
    }
    Duration interval =
        everySeconds == null
            ? AuditStatements.INTERVAL
            : Duration.ofMillis(Math.round(everySeconds * MILLIS_PER_SECOND));
    return Optional.of(new AuditStatements(state, ClientKey.load(key).signer(), interval));
  }
}
