package io.tallystick.master.witness;

import io.tallystick.master.witness.AskedWitness.Head;
import io.tallystick.model.LedgerId;
import io.tallystick.node.ReadOnlyMark;
import io.tallystick.note.Cosignature;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The answers of witnesses about one ledger since the start. Thread-safe.
final class WitnessedLedger {
  private final LedgerId ledger;
  private final int quorum;

  /// By witness, of the head that was shown last.
  private final Map<String, NoteSignature> lines = new LinkedHashMap<>();

  /// Witnesses that have cosigned a head.
  private final Set<String> cosigners = new HashSet<>();

  private final Map<String, String> failing = new TreeMap<>();
  private @Nullable Head shown;
  private @Nullable Head cosigned;
  private List<NoteSignature> cosignatures = List.of();
  private OptionalLong lastCosignedMs = OptionalLong.empty();
  private WitnessStatus.@Nullable Contradiction contradiction;
  private List<ReadOnlyMark> marks = List.of();

  WitnessedLedger(LedgerId ledger, int quorum) {
    this.ledger = ledger;
    this.quorum = quorum;
  }

  LedgerId ledger() {
    return ledger;
  }

  /// What a witness said against it since the start; empty: nothing.
  synchronized Optional<WitnessStatus.Contradiction> contradiction() {
    return Optional.ofNullable(contradiction);
  }

  /// Begins with a head; what was said of the same one stays.
  synchronized void show(Head head) {
    if (shown == null || !shown.note().text().equals(head.note().text())) {
      lines.clear();
    }
    shown = head;
  }

  /// Whether a witness has not cosigned the head that is shown.
  synchronized boolean lacks(String witness) {
    return !lines.containsKey(witness);
  }

  /// Whether a witness has cosigned no head yet.
  synchronized boolean isFirst(String witness) {
    return !cosigners.contains(witness);
  }

  synchronized void add(Cosignature cosignature, long timeMs) {
    cosigners.add(cosignature.witness().name());
    lines.put(cosignature.witness().name(), cosignature.line());
    failing.remove(cosignature.witness().name());
    lastCosignedMs = OptionalLong.of(timeMs);
  }

  synchronized void failed(String witness, String code) {
    failing.put(witness, code);
  }

  synchronized void contradicted(WitnessStatus.Contradiction by) {
    contradiction = by;
  }

  /// The marks that the node keeps. Without any, what a witness said was taken back: witnesses are
  /// asked again.
  synchronized void marked(List<ReadOnlyMark> now) {
    marks = List.copyOf(now);
    if (now.isEmpty()) {
      contradiction = null;
    }
  }

  /// What was said since the start, or else before it.
  private Optional<WitnessStatus.Contradiction> against() {
    return contradiction()
        .or(() ->
            marks.stream()
                .max(Comparator.comparingLong(ReadOnlyMark::seenSize))
                .map(mark ->
                    new WitnessStatus.Contradiction(
                        mark.by(),
                        mark.seenSize(),
                        shown == null || mark.seenSize() > shown.size())));
  }

  /// Ends a round: the head that was shown takes the place of the one before, if enough have
  /// cosigned it.
  synchronized void settle() {
    if (shown != null && lines.size() >= quorum) {
      cosigned = shown;
      cosignatures = List.copyOf(lines.values());
    }
  }

  /// The newest head that enough have cosigned, with their lines.
  synchronized Optional<SignedNote> note() {
    return cosigned == null ? Optional.empty() : Optional.of(with(cosigned.note(), cosignatures));
  }

  /// The same note with the lines of those who have cosigned this head.
  synchronized SignedNote cosigned(SignedNote note) {
    if (cosigned != null && cosigned.note().text().equals(note.text())) {
      return with(note, cosignatures);
    }
    return note;
  }

  private static SignedNote with(SignedNote note, List<NoteSignature> more) {
    List<NoteSignature> all = new ArrayList<>(note.signatures());
    all.addAll(more);
    return note.with(all);
  }

  synchronized WitnessStatus.OfLedger status() {
    return new WitnessStatus.OfLedger(
        ledger,
        cosigned == null ? 0 : cosigned.size(),
        cosignatures.size(),
        lastCosignedMs,
        against(),
        failing);
  }
}
