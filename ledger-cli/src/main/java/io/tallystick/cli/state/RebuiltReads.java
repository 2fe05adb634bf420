package io.tallystick.cli.state;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Refusals;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.SavedHeadText;
import io.tallystick.cli.text.SavedStateText;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.server.host.LocalStates;
import io.tallystick.server.state.RebuiltState;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import io.tallystick.state.StateValue;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads of a state that `tally rebuild --as-of` has made, from its folder. No service is asked:
/// each answer is made to the file that the service's would be saved in, and verified as that.
final class RebuiltReads implements AutoCloseable {
  private final ServiceOptions service;
  private final Output output;
  private final Path folder;
  private final LedgerId ledger;
  private final RebuiltState state;
  private final ReceiptVerifier keys;

  private RebuiltReads(
      ServiceOptions service,
      Output output,
      Path folder,
      LedgerId ledger,
      RebuiltState state,
      ReceiptVerifier keys) {
    this.service = service;
    this.output = output;
    this.folder = folder;
    this.ledger = ledger;
    this.state = state;
    this.keys = keys;
  }

  /// @param height of the block that is asked for; null: the one that the folder holds
  static RebuiltReads open(
      ServiceOptions service, Output output, String ledgerId, Path folder, @Nullable Long height)
      throws Exception {
    LedgerId ledger = ServiceOptions.ledgerId(ledgerId);
    ReceiptVerifier keys = ReceiptVerifier.fromTrustStore(service.trust(), ledger);
    RebuiltState state = LocalStates.open(folder);
    boolean done = false;
    try {
      if (!state.ledger().equals(ledger)) {
        throw new FileSystemException(
            folder.toString(), null, "holds a state of ledger " + state.ledger());
      }
      long held = state.block().height();
      if (height != null && height != held) {
        throw new UsageException(
            String.format(
                Locale.ROOT, "%s holds the state as of block %d, not %d", folder, held, height));
      }
      done = true;
      return new RebuiltReads(service, output, folder, ledger, state, keys);
    } finally {
      if (!done) {
        state.close();
      }
    }
  }

  /// What was shown, verified.
  ///
  /// @param answer a key's
  private record Shown(StateAnswer answer, BodyState valueState, Optional<Bytes> value) {
    Map<String, Object> row() {
      Map<String, Object> row = StateText.row(answer, valueState, value);
      if (isLeftOut()) {
        row.put("inDirectory", false);
        row.put("erasureProven", false);
      }
      return row;
    }

    /// Whether the key has a value and the folder does not hold it. That it was erased would be the
    /// folder's word.
    boolean isLeftOut() {
      return answer instanceof StateAnswer.Present && valueState == BodyState.NONE;
    }

    boolean isDamaged() {
      return valueState == BodyState.DAMAGED;
    }
  }

  /// A verified proof with what it shows.
  ///
  /// @param file that it would be saved in
  private record Page(SignedHead head, SealLeaf seal, Bytes file, List<Shown> shown) {}

  private interface Read<T> {
    T of(RebuiltState state) throws IOException, CorruptStreamException, RequestRejectedException;
  }

  private <T> T read(Read<T> read) throws Exception {
    try {
      return read.of(state);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.DAMAGED) {
        throw new CorruptStreamException(folder.toString(), 0, String.valueOf(e.getMessage()), e);
      }
      throw Refusals.of(e);
    }
  }

  /// @param raw write nothing but the value of the one key
  /// @param save for the first page of the proof; null: nothing is saved
  /// @return the command's exit status
  int get(List<Bytes> wanted, boolean raw, @Nullable Path save) throws Exception {
    List<Page> pages = new ArrayList<>();
    List<Bytes> left = wanted.stream().distinct().sorted().toList();
    while (!left.isEmpty()) {
      List<Bytes> asked = left.subList(0, Math.min(StateLookups.KEYS_MAX, left.size()));
      Page page = verified(read(each -> each.states(asked)));
      pages.add(page);
      left = left.subList(page.shown.size(), left.size());
    }
    SavedHeadText trust = trust(pages.getFirst().head);
    if (save != null) {
      write(save, pages.getFirst().file);
    }
    List<Shown> shown = pages.stream().flatMap(page -> page.shown.stream()).toList();
    if (raw) {
      System.out.write(value(shown.getFirst()).toArray());
      System.out.flush();
    } else {
      print(pages.getFirst(), trust, shown, save != null);
    }
    return status(shown);
  }

  /// Asked before anything is written.
  ///
  /// @throws ProofRejectedException with `FORK` if the head contradicts the trusted one
  private SavedHeadText trust(SignedHead head)
      throws IOException, TallyException, ProofRejectedException {
    return SavedHeadText.of(
        head, TrustedLog.saved(service.trust(), ledger, SignatureProviders.best()));
  }

  private static void write(Path save, Bytes file) throws IOException {
    LocalPaths.writeNew(save, file.toArray());
  }

  private static int status(List<Shown> shown) {
    return JournalText.status(shown.stream().filter(Shown::isDamaged).count());
  }

  private Bytes value(Shown shown)
      throws ValueUnavailableException, UsageException, FileSystemException {
    if (!(shown.answer instanceof StateAnswer.Present(StateEntry entry))) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "key %s has no value as of block %d",
              Printable.name(shown.answer.key()),
              state.block().height()));
    }
    if (shown.isLeftOut()) {
      throw new FileSystemException(
          folder.toString(),
          null,
          String.format(
              Locale.ROOT,
              "does not hold the value of key %s, written by journal %s; it does not prove that the"
                  + " value was erased",
              Printable.name(entry.key()),
              entry.jsn()));
    }
    return shown.value.orElseThrow(() ->
        new ValueUnavailableException(Printable.name(entry.key()), shown.valueState, entry.jsn()));
  }

  private Page verified(ProvenStates proven) throws Exception {
    Bytes head = state.headStatement();
    List<Optional<Bytes>> values = proven.values().stream().map(RebuiltReads::opened).toList();
    List<Shown> shown = new ArrayList<>();
    if (proven.answers().size() == 1) {
      StateFile file = new StateFile(head, proven.proof(), values.getFirst());
      StateFile.Verified verified = keys.verify(file);
      shown.add(new Shown(verified.answer(), state(proven, 0), verified.value()));
      return new Page(verified.head(), verified.seal(), file.encode(), shown);
    }
    LookupFile file = new LookupFile(head, proven.proof(), values);
    LookupFile.Verified verified = keys.verify(file);
    for (LookupFile.Item item : verified.items()) {
      shown.add(new Shown(item.answer(), state(proven, shown.size()), item.value()));
    }
    return new Page(verified.head(), verified.seal(), file.encode(), shown);
  }

  private static BodyState state(ProvenStates proven, int index) {
    return state(proven.values().get(index));
  }

  /// `NONE` of a value that the folder does not hold.
  private static BodyState state(ReadValue read) {
    return read.state() == BodyState.ERASED ? BodyState.NONE : read.state();
  }

  private static Optional<Bytes> opened(ReadValue read) {
    return read.value().map(StateValue::encode);
  }

  /// @param page the first
  private void print(Page page, SavedHeadText trust, List<Shown> shown, boolean saved) {
    boolean one = shown.size() == 1;
    Map<String, Object> object =
        one
            ? shown.getFirst().row()
            : Output.object("keys", shown.stream().map(Shown::row).toList());
    List<String> lines = new ArrayList<>();
    for (Shown each : shown) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: %s%s",
              Printable.name(each.answer.key()),
              holds(each),
              StateText.writer(each.answer)));
    }
    int held = page.shown.size();
    if (saved && held < shown.size()) {
      List<String> left = shown.stream().skip(held).map(each -> each.answer.key().hex()).toList();
      lines.add(
          String.format(
              Locale.ROOT,
              "The file holds the first %s; the others: --hex %s",
              Count.of(held, "key"),
              String.join(" ", left)));
      object.put("unsavedHex", left);
    }
    String what = one ? "it" : "the " + Count.of(shown.size(), "key");
    String but =
        shown.stream().anyMatch(Shown::isLeftOut) ? ", but for what is not in the folder" : "";
    String verdict = "Verified" + but + ": this is what " + what + " held";
    print(page.head, page.seal, trust, lines, shown, verdict, object);
  }

  private static String holds(Shown shown) {
    return shown.isLeftOut() && shown.answer instanceof StateAnswer.Present(StateEntry entry)
        ? leftOut(entry)
        : StateText.holds(shown.answer, shown.valueState, shown.value, Optional.empty());
  }

  private static String leftOut(StateEntry entry) {
    return entry.valueSizeBytes() + " B, not in the folder";
  }

  /// @param verdict without its end, of which block it is
  private void print(
      SignedHead head,
      SealLeaf seal,
      SavedHeadText trust,
      List<String> lines,
      List<Shown> shown,
      String verdict,
      Map<String, Object> object) {
    long damaged = shown.stream().filter(Shown::isDamaged).count();
    if (damaged > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "DAMAGED, in %s or in the log that it was made from: %s.",
              folder,
              Count.of(damaged, "value")));
    }
    long leftOut = shown.stream().filter(Shown::isLeftOut).count();
    if (leftOut > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "NOT IN %s: %s. A rebuild leaves out what was erased; the folder does not prove that it"
                  + " was.",
              folder,
              Count.of(leftOut, "value")));
    }
    lines.add(verdict + SavedStateText.asOf(seal, head) + ". " + trust.sentence());
    object.putAll(SavedStateText.head(seal, head));
    object.put("headTrusted", trust.isTrusted());
    output.print(String.join(System.lineSeparator(), lines), object);
  }

  /// @param limit the most keys to list
  /// @param save list one page, and save it here; null: nothing is saved
  /// @return the command's exit status
  int range(StateSpan span, int limit, @Nullable Path save) throws Exception {
    List<Shown> shown = new ArrayList<>();
    Optional<Bytes> from = Optional.of(span.from());
    RangeFile file = null;
    RangeFile.Verified last = null;
    while (from.isPresent() && shown.size() <= limit && (last == null || save == null)) {
      Bytes next = from.get();
      ProvenStatePage page =
          read(each ->
              each.page(new StateQuery(next, span.to(), span.pageKeys(), StateReads.NEWEST, true)));
      file =
          new RangeFile(
              state.headStatement(),
              page.proof().encode(),
              page.values().stream().map(RebuiltReads::opened).toList());
      last = keys.verify(file);
      for (int i = 0; i < last.items().size(); i++) {
        RangeFile.Item item = last.items().get(i);
        StateAnswer answer = new StateAnswer.Present(item.entry());
        shown.add(new Shown(answer, state(page.values().get(i)), item.value()));
      }
      from = page.next();
    }
    if (file == null || last == null) {
      throw new AssertionError("a span has a page");
    }
    SavedHeadText trust = trust(last.head());
    if (save != null) {
      write(save, file.encode());
    }
    List<Shown> listed = shown.subList(0, Math.min(limit, shown.size()));
    boolean more = from.isPresent() || listed.size() < shown.size();
    list(span, last, trust, listed, more, save == null ? Optional.empty() : from);
    return status(listed);
  }

  /// @param next where the page behind the saved one begins
  private void list(
      StateSpan span,
      RangeFile.Verified page,
      SavedHeadText trust,
      List<Shown> shown,
      boolean more,
      Optional<Bytes> next) {
    List<String> lines = new ArrayList<>();
    for (Shown each : shown) {
      if (each.answer instanceof StateAnswer.Present(StateEntry entry)) {
        lines.add(
            String.format(
                Locale.ROOT, "%8s  %s: %s", entry.jsn(), Printable.name(entry.key()), holds(each)));
      }
    }
    String range = SavedStateText.span(span.from(), span.to());
    String count = Count.of(shown.size(), "key");
    Map<String, Object> object =
        Output.object("keys", shown.stream().map(Shown::row).toList(), "complete", !more);
    next.ifPresent(key -> {
      String to = span.to().map(end -> " --to " + end.hex()).orElse("");
      lines.add("The file holds this page; the next: --hex --from " + key.hex() + to);
      object.put("nextHex", key.hex());
    });
    print(
        page.head(),
        page.seal(),
        trust,
        lines,
        shown,
        more
            ? String.format(Locale.ROOT, "Verified, with more behind: the first %s%s", count, range)
            : String.format(Locale.ROOT, "Verified: %s%s, and no other had a value", count, range),
        object);
  }

  @Override
  public void close() throws IOException {
    state.close();
  }
}
