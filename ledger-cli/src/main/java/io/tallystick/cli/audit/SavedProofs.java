package io.tallystick.cli.audit;

import io.tallystick.cli.option.KeyBytes;
import io.tallystick.cli.option.SavedState;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.SavedLineageText;
import io.tallystick.cli.text.SavedStateText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.lineage.LineageFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The saved lineages and states that `verify` is given, and what they must be about.
final class SavedProofs {
  private static final int LINEAGE_BYTES_MAX = 128 << 20;

  @Option(
      names = "--lineage",
      paramLabel = "FILE",
      description = "A lineage that `tally lineage --save` wrote")
  private @Nullable Path lineage;

  @Option(
      names = "--clue",
      paramLabel = "CLUE",
      description =
          "With --lineage, the clue it must be of; else you compare the id yourself. Alone, a clue "
              + "whose journals above the newest trusted anchor are verified to be all there are; "
              + "with --data, of which the newest is found whose payload is FILE")
  private @Nullable String clue;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description = "A file that `tally state get|range --save` wrote")
  private @Nullable Path state;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description =
          "A key that --state must be of, or must show among others; repeatable. Without it, compare "
              + "them yourself")
  private List<String> keys = List.of();

  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The first key of the range that --state must be of")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The key before which the range of --state must end")
  private @Nullable String to;

  @Option(names = "--hex", description = "The keys given are in hex digits, not text")
  private boolean hex;

  /// The verifier of the files.
  interface Judge {
    LineageFile.Verified of(LineageFile file) throws TallyException;

    StateFile.Verified of(StateFile file) throws TallyException;

    LookupFile.Verified of(LookupFile file) throws TallyException;

    RangeFile.Verified of(RangeFile file) throws TallyException;
  }

  /// The verifier by the service's keys alone.
  record Alone(ReceiptVerifier verifier) implements Judge {
    @Override
    public LineageFile.Verified of(LineageFile file) throws TallyException {
      return verifier.verify(file);
    }

    @Override
    public StateFile.Verified of(StateFile file) throws TallyException {
      return verifier.verify(file);
    }

    @Override
    public LookupFile.Verified of(LookupFile file) throws TallyException {
      return verifier.verify(file);
    }

    @Override
    public RangeFile.Verified of(RangeFile file) throws TallyException {
      return verifier.verify(file);
    }
  }

  /// The verifier with the service's help, which joins their heads to the trusted log.
  record Joined(LedgerHandle ledger) implements Judge {
    @Override
    public LineageFile.Verified of(LineageFile file) throws TallyException {
      return ledger.verify(file);
    }

    @Override
    public StateFile.Verified of(StateFile file) throws TallyException {
      return ledger.state().verify(file);
    }

    @Override
    public LookupFile.Verified of(LookupFile file) throws TallyException {
      return ledger.state().verify(file);
    }

    @Override
    public RangeFile.Verified of(RangeFile file) throws TallyException {
      return ledger.state().verify(file);
    }
  }

  /// The content of one of the files.
  ///
  /// @param name of its object in JSON
  record Shown(String name, SignedHead head, String text, Map<String, Object> row) {}

  boolean areGiven() {
    return lineage != null || state != null;
  }

  /// A clue that is no saved lineage's: its journals are to be verified with the service.
  @Nullable String clueAlone() {
    return lineage == null ? clue : null;
  }

  /// Before anything is read.
  void check() throws UsageException {
    boolean compares = !keys.isEmpty() || from != null || to != null || hex;
    if (compares && state == null) {
      throw new UsageException(
          "--key, --from, --to and --hex say what a saved state is of: give --state FILE");
    }
    if (!keys.isEmpty() && (from != null || to != null)) {
      throw new UsageException("--key is of a saved reading, --from and --to of a saved range");
    }
    for (String key : keys) {
      checkHex(key);
    }
    checkHex(from);
    checkHex(to);
    if (to != null && keyBytes(from == null ? "" : from).compareTo(keyBytes(to)) >= 0) {
      throw new UsageException("no key is from --from to before --to");
    }
  }

  private void checkHex(@Nullable String given) throws UsageException {
    if (given != null) {
      Bytes _ = keyBytes(given);
    }
  }

  private Bytes keyBytes(String given) throws UsageException {
    return KeyBytes.of(given, hex);
  }

  List<Shown> shown(LedgerId ledger, Judge judge) throws Exception {
    List<Shown> shown = new ArrayList<>();
    if (lineage != null) {
      shown.add(lineage(lineage, ledger, judge));
    }
    if (state != null) {
      Shown what =
          switch (SavedState.read(state)) {
            case SavedState.Reading(StateFile file) -> reading(state, file, judge);
            case SavedState.Several(LookupFile file) -> several(state, file, judge);
            case SavedState.Range(RangeFile file) -> range(state, file, judge);
          };
      shown.add(what);
    }
    return shown;
  }

  private Shown lineage(Path path, LedgerId ledger, Judge judge) throws Exception {
    LineageFile file = lineageFile(path);
    LineageFile.Verified verified = judged(path, () -> judge.of(file));
    String shownClue = "the clue of id " + file.clueId();
    Map<String, Object> row = Output.object("file", path.toString());
    if (clue != null) {
      Digest wanted = Commitments.clueId(ledger, clue);
      if (!wanted.equals(file.clueId())) {
        throw other(
            Reason.WRONG_CLUE,
            path,
            String.format(
                Locale.ROOT,
                "is about the clue of id %s, \"%s\" has the id %s",
                file.clueId(),
                Printable.of(clue),
                wanted));
      }
      row.put("clue", clue);
      shownClue = '"' + Printable.of(clue) + '"';
    }
    row.putAll(SavedLineageText.row(verified));
    String text = SavedLineageText.text(verified, shownClue);
    return new Shown("lineage", verified.head(), text, row);
  }

  private static LineageFile lineageFile(Path path) throws IOException {
    try {
      return LineageFile.decode(OfflineReceipts.read(path, LINEAGE_BYTES_MAX));
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(path, "saved lineage", e);
    }
  }

  private Shown reading(Path path, StateFile file, Judge judge) throws Exception {
    if (from != null || to != null) {
      throw new UsageException(
          LocalPaths.shown(path) + " is about one key, not a range: give --key");
    }
    StateFile.Verified verified = judged(path, () -> judge.of(file));
    checkKeys(path, List.of(verified.answer().key()));
    Map<String, Object> row = Output.object("file", path.toString());
    row.putAll(SavedStateText.row(verified));
    return new Shown("state", verified.head(), SavedStateText.text(verified), row);
  }

  private Shown several(Path path, LookupFile file, Judge judge) throws Exception {
    if (from != null || to != null) {
      throw new UsageException(
          LocalPaths.shown(path) + " is about several keys, not a range: give --key");
    }
    LookupFile.Verified verified = judged(path, () -> judge.of(file));
    checkKeys(path, verified.items().stream().map(item -> item.answer().key()).toList());
    Map<String, Object> row = Output.object("file", path.toString());
    row.putAll(SavedStateText.row(verified));
    return new Shown("state", verified.head(), SavedStateText.text(verified), row);
  }

  /// @param shown the keys that the file is about
  private void checkKeys(Path path, List<Bytes> shown) throws Exception {
    for (String key : keys) {
      Bytes wanted = keyBytes(key);
      if (!shown.contains(wanted)) {
        String about =
            shown.size() == 1
                ? "key " + Printable.name(shown.getFirst())
                : shown.size() + " other keys";
        throw other(
            Reason.WRONG_KEY,
            path,
            String.format(Locale.ROOT, "is about %s, not %s", about, Printable.name(wanted)));
      }
    }
  }

  private Shown range(Path path, RangeFile file, Judge judge) throws Exception {
    if (!keys.isEmpty()) {
      throw new UsageException(
          LocalPaths.shown(path) + " is about a range, not one key: give --from and --to");
    }
    RangeFile.Verified verified = judged(path, () -> judge.of(file));
    Map<String, Object> row = Output.object("file", path.toString());
    row.putAll(SavedStateText.row(verified));
    String text = SavedStateText.text(verified);
    if (from != null || to != null) {
      boolean complete = isWhole(path, verified);
      row.put("complete", complete);
      if (!complete) {
        text += " It is a part of the range asked for, whose other keys the file does not show.";
      }
    }
    return new Shown("state", verified.head(), text, row);
  }

  /// Whether it is the range asked for, and not only the first part of it.
  private boolean isWhole(Path path, RangeFile.Verified shown) throws Exception {
    Bytes first = from == null ? Bytes.EMPTY : KeyBytes.of(from, hex);
    Optional<Bytes> end = to == null ? Optional.empty() : Optional.of(KeyBytes.of(to, hex));
    boolean isBehind =
        end.isPresent() && (shown.to().isEmpty() || shown.to().get().compareTo(end.get()) > 0);
    if (!shown.from().equals(first) || isBehind) {
      throw other(
          Reason.WRONG_KEY,
          path,
          String.format(
              Locale.ROOT,
              "is about the keys%s, not those%s",
              words(shown.from(), shown.to()),
              words(first, end)));
    }
    return shown.to().equals(end);
  }

  private static String words(Bytes from, Optional<Bytes> to) {
    String span = SavedStateText.span(from, to);
    return span.isEmpty() ? " of the whole state" : span;
  }

  // ---- what does not fit

  @FunctionalInterface
  private interface Judging<T> {
    T shown() throws TallyException;
  }

  private static <T> T judged(Path path, Judging<T> judging) throws TallyException {
    try {
      return judging.shown();
    } catch (VerificationException e) {
      throw OfflineReceipts.explained(e, path);
    }
  }

  private static VerificationException other(Reason reason, Path path, String what) {
    return new VerificationException(new ProofRejectedException(reason, path + " " + what));
  }
}
