package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.Output;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The content of saved readings and ranges of a state, for people and for JSON.
public final class SavedStateText {
  private SavedStateText() {}

  public static String text(StateFile.Verified shown) {
    return String.format(
        Locale.ROOT,
        "%s%nVerified: this is what it held%s.",
        line(shown.answer(), shown.value()),
        asOf(shown.seal(), shown.head()));
  }

  private static String line(StateAnswer answer, Optional<Bytes> value) {
    return String.format(
        Locale.ROOT,
        "%s: %s%s",
        Printable.name(answer.key()),
        StateText.holds(answer, state(value), value, Optional.empty()),
        StateText.writer(answer));
  }

  public static Map<String, Object> row(StateFile.Verified shown) {
    Map<String, Object> row = StateText.row(shown.answer(), state(shown.value()), shown.value());
    row.putAll(head(shown.seal(), shown.head()));
    return row;
  }

  public static String text(LookupFile.Verified shown) {
    List<String> lines = new ArrayList<>();
    shown.items().forEach(item -> lines.add(line(item.answer(), item.value())));
    lines.add(
        String.format(
            Locale.ROOT,
            "Verified: this is what the %s held%s.",
            Count.of(lines.size(), "key"),
            asOf(shown.seal(), shown.head())));
    return String.join(System.lineSeparator(), lines);
  }

  public static Map<String, Object> row(LookupFile.Verified shown) {
    List<Map<String, Object>> keys = new ArrayList<>();
    for (LookupFile.Item item : shown.items()) {
      keys.add(StateText.row(item.answer(), state(item.value()), item.value()));
    }
    Map<String, Object> row = Output.object("keys", keys);
    row.putAll(head(shown.seal(), shown.head()));
    return row;
  }

  public static String text(RangeFile.Verified shown) {
    List<String> lines = new ArrayList<>();
    for (RangeFile.Item item : shown.items()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%8s  %s: %s",
              item.entry().jsn(),
              Printable.name(item.entry().key()),
              StateText.value(item.entry(), state(item.value()), item.value(), Optional.empty())));
    }
    int count = shown.items().size();
    lines.add(
        String.format(
            Locale.ROOT,
            "Verified: %s%s, and no other had a value%s.",
            count == 0 ? "no key" : Count.of(count, "key"),
            span(shown.from(), shown.to()),
            asOf(shown.seal(), shown.head())));
    return String.join(System.lineSeparator(), lines);
  }

  public static Map<String, Object> row(RangeFile.Verified shown) {
    Map<String, Object> row = Output.object("fromHex", shown.from().hex());
    shown.to().ifPresent(to -> row.put("toHex", to.hex()));
    List<Map<String, Object>> keys = new ArrayList<>();
    for (RangeFile.Item item : shown.items()) {
      Map<String, Object> key = StateText.keyRow(item.entry().key());
      key.putAll(StateText.row(item.entry(), state(item.value()), item.value()));
      keys.add(key);
    }
    row.put("keys", keys);
    row.putAll(head(shown.seal(), shown.head()));
    return row;
  }

  /// A range in words, with a space before; empty for all keys.
  public static String span(Bytes from, Optional<Bytes> to) {
    return (from.isEmpty() ? "" : " from " + Printable.name(from))
        + to.map(end -> " before " + Printable.name(end)).orElse("");
  }

  private static BodyState state(Optional<Bytes> value) {
    return value.isPresent() ? BodyState.PRESENT : BodyState.NONE;
  }

  /// ` as of block …`, with a space before.
  public static String asOf(SealLeaf seal, SignedHead head) {
    return String.format(
        Locale.ROOT,
        " as of block %d, sealed %s, under a signed head of %s leaves",
        seal.height(),
        Instant.ofEpochMilli(seal.timeMs()),
        head.size());
  }

  /// The block and its head.
  public static Map<String, Object> head(SealLeaf seal, SignedHead head) {
    return Output.object(
        "height",
        seal.height(),
        "headSize",
        head.size().value(),
        "sealed",
        Instant.ofEpochMilli(seal.timeMs()).toString());
  }
}
