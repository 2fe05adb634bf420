package io.tallystick.cli.demo;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.LedgerRemovals;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.lineage.ClueLineage;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateVersion;
import io.tallystick.client.state.StateVersions;
import io.tallystick.client.state.StateWrite;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Notarises the files of a folder in a fresh ledger, verifies all receipts, audits from outside,
/// then lets a dishonest operator change one byte and shows that the audit names the journal.
public final class Demo {
  private static final int BATCH = 1000;
  private static final long REVISED_BYTES_MAX = 1 << 20;
  private static final int SHOWN_DIGITS = 8;
  private static final String NOTE = "notarised while Ada Example was visiting";
  private static final String BASIS = "GDPR Art. 17";
  private static final Duration ERASING_MAX = Duration.ofSeconds(30);
  private static final Duration ERASING_POLL = Duration.ofMillis(20);

  private final Path folder;
  private final Path home;
  private final Narrator say;
  private final List<VerifiedReceipt> receipts = new ArrayList<>();
  private @Nullable Revision revision;
  private final ClientKey owner = ClientKey.generate();
  private final ClientKey notary = ClientKey.generate();
  private final ClientKey regulator = ClientKey.generate();
  private final PurgeStory visits;
  private @Nullable Jsn note;

  /// The results of the demo; all of them must be good for it to have succeeded.
  ///
  /// @param historyProven whether the lineage of the revised file was proven to be its two
  ///   revisions
  /// @param stateProven whether the state was proven to hold the newest hash of that file, and to
  ///   have held the one before
  /// @param erasedJsn of the journal whose body was erased
  /// @param erasureProven whether it has no body any more, and an occult by an owner and a
  ///   regulator was proven to be why
  /// @param purgedBelow the first journal that is left of the ledger whose beginning was purged
  /// @param purgeProven whether what is left of it passes the audit, reads say what is gone, and
  ///   the receipt of a purged journal verifies
  /// @param faultJsn the first journal the last audit named
  /// @param faults how many it named in all
  public record Outcome(
      LedgerId ledger,
      int files,
      int receiptsVerified,
      boolean historyProven,
      boolean stateProven,
      long erasedJsn,
      boolean erasureProven,
      long purgedBelow,
      boolean purgeProven,
      long leavesAudited,
      boolean honestAuditPassed,
      long tamperedJsn,
      long faultJsn,
      String faultKind,
      long faults) {
    public boolean succeeded() {
      return honestAuditPassed
          && historyProven
          && stateProven
          && erasureProven
          && purgeProven
          && receiptsVerified == files
          && tamperedJsn == faultJsn
          && faults == 1;
    }
  }

  /// A file that was notarised twice.
  ///
  /// @param revised the same file, changed
  /// @param jsns of its journals
  private record Revision(NotarisedFile file, NotarisedFile revised, List<Long> jsns) {
    /// Under which the state holds the file's newest hash.
    String key() {
      return file.clue();
    }
  }

  /// Receives the story line by line.
  @FunctionalInterface
  public interface Narrator {
    void say(String line);
  }

  /// @param home an empty folder for the service's data
  public Demo(Path folder, Path home, Narrator say) {
    this.folder = folder;
    this.home = home;
    this.say = say;
    this.visits = new PurgeStory(owner, say);
  }

  public Outcome run() throws Exception {
    FileScan.Found found = FileScan.scan(folder, FileScan.FILES_MAX);
    List<NotarisedFile> files = found.files();
    if (files.isEmpty()) {
      throw new IOException("there is no readable file in " + folder);
    }
    say.say(
        String.format(
            Locale.ROOT, "1. Hashed %s of %s.", found.describe(), Printable.of(folder.toString())));
    LedgerId ledger;
    boolean stateProven;
    try (ServiceProcess service = start()) {
      ledger = notarise(service, files);
      stateProven = proveVersions(service, ledger);
      erase(service, ledger);
      visits.purge(config(service));
    }
    AuditReport honest;
    int verified;
    boolean historyProven;
    boolean erasureProven;
    boolean purgeProven;
    try (ServiceProcess service = start()) {
      say.say("4. Restarted the service; it recovered its ledger from disk.");
      verified = verifyReceipts(service, ledger);
      historyProven = proveHistory(service, ledger);
      stateProven &= proveState(service, ledger);
      erasureProven = proveErasure(service, ledger);
      honest = audit(service, ledger, AuditOptions.defaults());
      say.say("5. Audited all of it from outside, with none of the service's own indexes:");
      say.say(indent(AuditText.of(honest)));
      purgeProven =
          visits.prove(config(service), audit(service, visits.ledger(), AuditOptions.defaults()));
    }
    int victim = files.size() / 2;
    long victimJsn = receipts.get(victim).jsn().value();
    tamper(ledger, victimJsn);
    try (ServiceProcess service = start()) {
      say.say(
          "7. Restarted on the changed store: the service notices nothing, its checksums agree.");
      AuditReport dishonest = audit(service, ledger, AuditOptions.defaults().withAllFaults());
      say.say("8. Audited again:");
      say.say(indent(AuditText.of(dishonest)));
      Outcome outcome =
          outcome(
              ledger,
              files.size(),
              verified,
              historyProven,
              stateProven,
              erasureProven,
              purgeProven,
              honest,
              victimJsn,
              dishonest);
      conclude(outcome, files.get(victim));
      return outcome;
    }
  }

  private Outcome outcome(
      LedgerId ledger,
      int files,
      int verified,
      boolean historyProven,
      boolean stateProven,
      boolean erasureProven,
      boolean purgeProven,
      AuditReport honest,
      long victimJsn,
      AuditReport dishonest) {
    return new Outcome(
        ledger,
        files,
        verified,
        historyProven,
        stateProven,
        Objects.requireNonNull(note).value(),
        erasureProven,
        visits.firstKept(),
        purgeProven,
        honest.counts().leaves(),
        honest.firstFault().isEmpty(),
        victimJsn,
        dishonest.firstFault().map(fault -> fault.jsn()).orElse(-1L),
        dishonest.firstFault().map(fault -> fault.kind().name()).orElse("none"),
        dishonest.faultCount());
  }

  private void conclude(Outcome outcome, NotarisedFile victim) {
    say.say(
        outcome.succeeded()
            ? String.format(
                Locale.ROOT,
                """

                What happened: the operator changed one byte of the stored record of
                  %s
                and repaired every checksum, so the store looks sound. But the record's commitment is
                in a header that a member signed, the header is in a Merkle tree whose root the service
                signed, and you hold receipts under that root. The audit found journal %d, and no
                other, to differ from what was signed.\
                """,
                Printable.of(victim.path()),
                outcome.faultJsn())
            : "The demo FAILED: " + outcome);
  }

  private ServiceProcess start() throws IOException {
    return ServiceProcess.start(home.resolve("data"), home.resolve("service.log"));
  }

  private TallyClient client(ServiceProcess service) {
    return TallyClient.connect(config(service));
  }

  private ClientConfig config(ServiceProcess service) {
    return ClientConfig.of(service.target(), home.resolve("trust")).withReader(owner);
  }

  private LedgerId notarise(ServiceProcess service, List<NotarisedFile> files) throws Exception {
    try (TallyClient client = client(service)) {
      LedgerHandle founded =
          client.createLedger("notary of files", List.of(owner), LedgerOptions.DEFAULT.withState());
      founded.addMember(Role.NORMAL, notary.publicKey());
      founded.addMember(Role.REGULATOR, regulator.publicKey());
      say.say("2. Started the service, founded ledger " + founded.id() + " with three members.");
      LedgerHandle ledger = client.open(founded.id(), notary);
      long started = System.nanoTime();
      for (int first = 0; first < files.size(); first += BATCH) {
        append(ledger, files.subList(first, Math.min(files.size(), first + BATCH)));
      }
      say.say(
          "3. Notarised each of them (path, size, SHA-256); each receipt was verified before the"
              + " append"
              + String.format(
                  Locale.ROOT,
                  " returned (%,d in %,d ms).",
                  receipts.size(),
                  TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started)));
      revise(ledger, files);
      return founded.id();
    }
  }

  /// Notarises a changed copy of a file as its second revision. The state holds the newest hash.
  private void revise(LedgerHandle ledger, List<NotarisedFile> files) throws Exception {
    int index = 0;
    while (index < files.size() - 1 && !isSmall(folder.resolve(files.get(index).path()))) {
      index++;
    }
    NotarisedFile file = files.get(index);
    Path copy = home.resolve("revised");
    Path original = folder.resolve(file.path());
    if (isSmall(original)) {
      Files.copy(original, copy);
    } else {
      Files.createFile(copy); // what was read under another name cannot be found again by this one
    }
    NotarisedFile revised = file.revised(copy);
    String key = file.clue();
    ledger.state().put(key, file.sha256().hex());
    VerifiedReceipt receipt =
        ledger
            .state()
            .write(
                revised.draft(),
                List.of(StateWrite.put(key, revised.sha256().hex()).ifValue(file.sha256().hex())));
    revision =
        new Revision(
            file, revised, List.of(receipts.get(index).jsn().value(), receipt.jsn().value()));
    say.say(
        String.format(
            Locale.ROOT,
            "   Added a line to a copy of %s and notarised that as its second revision.",
            Printable.of(file.path())));
    say.say(
        "   The same journal put its new hash into the ledger's state, if the old one was still there.");
  }

  private static boolean isSmall(Path file) throws IOException {
    return Files.isRegularFile(file) && Files.size(file) <= REVISED_BYTES_MAX;
  }

  private boolean proveHistory(ServiceProcess service, LedgerId id) throws Exception {
    Revision known = Objects.requireNonNull(revision);
    try (TallyClient client = client(service)) {
      ClueLineage lineage = client.open(id).lineage(known.file().clue());
      List<Long> jsns = lineage.entries().stream().map(LineageEntry::jsn).toList();
      say.say(
          String.format(
              Locale.ROOT,
              "   History of %s, proven complete: %s, and no other journal of %s leaves.",
              Printable.of(known.file().path()),
              jsns.stream().map(jsn -> "journal " + jsn).collect(Collectors.joining(", ")),
              lineage.size()));
      return jsns.equals(known.jsns());
    }
  }

  /// Reads all that the state ever held of the revised file. That it held nothing else is proven by
  /// the states between, which the service keeps since it was started.
  private boolean proveVersions(ServiceProcess service, LedgerId id) throws Exception {
    Revision known = Objects.requireNonNull(revision);
    try (TallyClient client = client(service)) {
      List<Optional<String>> held = new ArrayList<>();
      StateVersions history = client.open(id).state().history(known.key());
      while (history.hasNext()) {
        for (StateVersion version : history.next()) {
          held.add(version.text());
        }
      }
      if (history.completeness() == StateVersions.Completeness.PROVEN) {
        held.add(Optional.empty());
      }
      say.say(
          String.format(
              Locale.ROOT,
              "   All that the state held of it, proven, newest first: %s.",
              held.stream().map(Demo::beginning).collect(Collectors.joining(", then "))));
      return held.equals(
          List.of(
              Optional.of(known.revised().sha256().hex()),
              Optional.of(known.file().sha256().hex()),
              Optional.empty()));
    }
  }

  /// Reads what the state holds of the revised file.
  private boolean proveState(ServiceProcess service, LedgerId id) throws Exception {
    Revision known = Objects.requireNonNull(revision);
    try (TallyClient client = client(service)) {
      StateReading now = client.open(id).state().get(known.key());
      say.say(
          String.format(
              Locale.ROOT,
              "   State of it, proven: its hash is %s, by journal %s.",
              beginning(now.text()),
              now.entry().map(entry -> String.valueOf(entry.jsn())).orElse("none")));
      return now.text().equals(Optional.of(known.revised().sha256().hex()));
    }
  }

  /// Appends a note that names a person. Then an owner and a regulator have it erased.
  private void erase(ServiceProcess service, LedgerId id) throws Exception {
    try (TallyClient client = client(service)) {
      Jsn jsn = client.open(id, notary).append(JournalDraft.text(NOTE)).jsn();
      note = jsn;
      LedgerHandle both = client.open(id, owner, regulator);
      both.occult(LedgerRemovals.naming(List.of(both.get(jsn))), BASIS);
      long deadline = System.nanoTime() + ERASING_MAX.toNanos();
      while (both.erasure(jsn).orElseThrow().doneMs().isEmpty()) {
        if (System.nanoTime() > deadline) {
          throw new IOException("the service has not erased journal " + jsn);
        }
        Thread.sleep(ERASING_POLL);
      }
      say.say(
          String.format(
              Locale.ROOT,
              "   Appended a note that names a visitor, as journal %s; an owner and a regulator had it erased.",
              jsn));
    }
  }

  /// Reads the note, and why it is not there any more.
  private boolean proveErasure(ServiceProcess service, LedgerId id) throws Exception {
    Jsn jsn = Objects.requireNonNull(note);
    try (TallyClient client = client(service)) {
      LedgerHandle ledger = client.open(id);
      boolean gone = ledger.get(jsn).bodyState() == BodyState.ERASED;
      Optional<ErasedBody> why = ledger.erasure(jsn);
      say.say(
          String.format(
              Locale.ROOT,
              "   Journal %s has no body any more, proven: %s.",
              jsn,
              why.map(erased ->
                      String.format(
                          Locale.ROOT,
                          "erased by journal %s, signed by %d members, basis %s",
                          erased.removal(),
                          erased.signers().size(),
                          erased.basis()))
                  .orElse("nothing says why")));
      return gone && why.map(ErasedBody::basis).equals(Optional.of(BASIS));
    }
  }

  private static String beginning(Optional<String> hash) {
    return hash.map(text -> text.substring(0, Math.min(SHOWN_DIGITS, text.length())) + "…")
        .orElse("nothing");
  }

  private void append(LedgerHandle ledger, List<NotarisedFile> files) throws Exception {
    if (files.size() == 1) {
      receipts.add(ledger.append(files.getFirst().draft()));
    } else {
      VerifiedBatch batch = ledger.appendBatch(files.stream().map(NotarisedFile::draft).toList());
      receipts.addAll(batch.receipts());
    }
  }

  private int verifyReceipts(ServiceProcess service, LedgerId id) throws Exception {
    try (TallyClient client = client(service)) {
      LedgerHandle ledger = client.open(id);
      int verified = 0;
      for (VerifiedReceipt receipt : receipts) {
        ledger.verify(receipt.toFile());
        verified++;
      }
      say.say(
          String.format(
              Locale.ROOT,
              "   Verified %s again, as standard COSE receipts.",
              verified == 1
                  ? "the receipt"
                  : String.format(Locale.ROOT, "all %,d receipts", verified)));
      return verified;
    }
  }

  private AuditReport audit(ServiceProcess service, LedgerId ledger, AuditOptions options)
      throws Exception {
    ManagedChannel channel = ServiceChannel.reading(config(service), ledger);
    try {
      return new Auditor(SignatureProviders.best())
          .audit(ledger, new RemoteLogSource(channel, new StrandId(ledger, 0)), options);
    } finally {
      channel.shutdownNow();
    }
  }

  private void tamper(LedgerId ledger, long jsn) throws IOException {
    StoreTamper.Tampering done =
        StoreTamper.flip(home.resolve("data").resolve("stream"), new StrandId(ledger, 0), jsn);
    say.say(
        String.format(
                Locale.ROOT,
                "6. Stopped the service and changed one byte of journal %d in its store (0x%02x to 0x%02x at",
                jsn,
                done.before(),
                done.after())
            + String.format(
                Locale.ROOT,
                " offset %,d of %s), and repaired the checksums.",
                done.offset(),
                done.file().getFileName()));
  }

  private static String indent(String text) {
    return text.strip().indent(3).stripTrailing();
  }
}
