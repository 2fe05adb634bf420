package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.state.AtTime;
import io.tallystick.client.state.HeldKey;
import io.tallystick.client.state.StateItem;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateVersion;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Keys, entries and operations of the state, for people and for JSON.
public final class StateText {
  private StateText() {}

  /// The height given with `--as-of`; null if none was given.
  public static @Nullable Long height(@Nullable Long height) throws UsageException {
    if (height != null && height < 0) {
      throw new UsageException("--as-of is 0 or more");
    }
    return height;
  }

  /// Why a block is the one of a time, and whether that is final; begins with a space.
  public static String sentence(AtTime at) {
    String sealed =
        String.format(
            Locale.ROOT,
            " At %s that block, sealed at %s, was the newest",
            Printable.time(at.time().toEpochMilli()),
            at.block().sealedAt());
    return sealed
        + at.next()
            .map(next -> ": the next one was sealed at " + next.sealedAt() + ", this is final.")
            .orElse("; this is not final, a block to come may have that time, too.");
  }

  public static Map<String, Object> row(AtTime at) {
    Map<String, Object> row =
        Output.object(
            "atTimeMs",
            at.time().toEpochMilli(),
            "sealedMs",
            at.block().seal().timeMs(),
            "final",
            at.isFinal());
    at.next().ifPresent(next -> row.put("nextSealedMs", next.seal().timeMs()));
    return row;
  }

  // ---- what keys hold

  /// The value, as far as there is one that the service gave.
  public static Optional<Bytes> value(StateReading reading) throws ValueUnavailableException {
    return isGiven(reading.valueState()) ? reading.value() : Optional.empty();
  }

  public static Optional<Bytes> value(HeldKey reading) throws ValueUnavailableException {
    return isGiven(reading.valueState()) ? reading.value() : Optional.empty();
  }

  public static Optional<Bytes> value(StateItem item) throws ValueUnavailableException {
    return isGiven(item.valueState()) ? Optional.of(item.value()) : Optional.empty();
  }

  private static boolean isGiven(BodyState state) {
    return switch (state) {
      case PRESENT, NONE -> true;
      case ERASED, DAMAGED -> false;
    };
  }

  /// The value, or why there is none.
  ///
  /// @param value empty if there is none at hand
  /// @param erased by what it was, verified
  public static String holds(
      StateAnswer answer, BodyState state, Optional<Bytes> value, Optional<ErasedBody> erased) {
    return switch (answer) {
      case StateAnswer.Present present -> value(present.entry(), state, value, erased);
      case StateAnswer.Deleted _ -> "deleted";
      case StateAnswer.Absent absent -> absent.neverWritten() ? "never written" : "nothing";
    };
  }

  /// `, by journal JSN`; empty for a key without an entry.
  public static String writer(StateAnswer answer) {
    return switch (answer) {
      case StateAnswer.Present present -> ", by journal " + present.entry().jsn();
      case StateAnswer.Deleted deleted -> ", by journal " + deleted.entry().jsn();
      case StateAnswer.Absent _ -> "";
    };
  }

  public static String value(
      StateEntry entry, BodyState state, Optional<Bytes> value, Optional<ErasedBody> erased) {
    return String.format(
        Locale.ROOT,
        "%d B %s",
        entry.valueSizeBytes(),
        value
            .map(JournalText::preview)
            .or(() -> erased.map(ErasureText::words))
            .orElse(state.name().toLowerCase(Locale.ROOT)));
  }

  /// @param value empty if there is none at hand
  public static Map<String, Object> row(
      StateAnswer answer, BodyState state, Optional<Bytes> value) {
    Map<String, Object> row = keyRow(answer.key());
    switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> {
        row.put("answer", "present");
        row.putAll(row(entry, state, value));
      }
      case StateAnswer.Deleted(StateEntry entry) -> {
        row.put("answer", "deleted");
        row.put("jsn", entry.jsn().value());
      }
      case StateAnswer.Absent absent -> {
        row.put("answer", "absent");
        row.put("neverWritten", absent.neverWritten());
      }
    }
    return row;
  }

  /// What a write left in the state.
  public static String written(StateVersion version) throws ValueUnavailableException {
    if (version.isDeletion()) {
      return "deleted";
    }
    return version.valueState() == BodyState.NONE
        ? String.format(Locale.ROOT, "%d B", version.entry().valueSizeBytes())
        : value(version.entry(), version.valueState(), value(version), version.erasure());
  }

  private static Optional<Bytes> value(StateVersion version) throws ValueUnavailableException {
    return version.valueState() == BodyState.PRESENT ? version.value() : Optional.empty();
  }

  public static Map<String, Object> row(StateVersion version) throws ValueUnavailableException {
    StateAnswer left =
        version.isDeletion()
            ? new StateAnswer.Deleted(version.entry())
            : new StateAnswer.Present(version.entry());
    Map<String, Object> row = row(left, version.valueState(), value(version));
    row.put("height", version.height());
    row.put("timeMs", version.write().timeMs());
    row.put("stood", version.stood());
    return row;
  }

  /// The row of a key that has a value.
  public static Map<String, Object> row(StateEntry entry, BodyState state, Optional<Bytes> value) {
    Map<String, Object> row =
        Output.object(
            "jsn",
            entry.jsn().value(),
            "valueBytes",
            entry.valueSizeBytes(),
            "valueCommit",
            entry.valueCommit().map(Digest::hex).orElse(""),
            "valueStatus",
            state.name().toLowerCase(Locale.ROOT));
    value.ifPresent(bytes -> {
      Printable.text(bytes).ifPresent(text -> row.put("value", text));
      row.put("valueHex", bytes.hex());
    });
    return row;
  }

  /// `key` where it is text, and `keyHex`.
  public static Map<String, Object> keyRow(Bytes key) {
    Map<String, Object> row = Output.object();
    Printable.text(key).ifPresent(text -> row.put("key", text));
    row.put("keyHex", key.hex());
    return row;
  }

  // ---- operations

  static String line(Op op) {
    String what =
        switch (op) {
          case Op.Put put ->
              String.format(
                  Locale.ROOT, "put %s, %d B", Printable.name(put.key()), put.valueSizeBytes());
          case Op.Delete delete -> "delete " + Printable.name(delete.key());
        };
    return what
        + switch (op.precondition()) {
          case Precondition.None() -> "";
          case Precondition.IfAbsent() -> ", if absent";
          case Precondition.IfVersion(var jsn) -> ", if written by " + jsn;
          case Precondition.IfCommit(var commit) -> ", if its value commits to " + commit;
        };
  }

  static Map<String, Object> row(Op op) {
    Map<String, Object> row = Output.object();
    switch (op) {
      case Op.Put put -> {
        row.put("action", "put");
        row.putAll(keyRow(put.key()));
        row.put("valueBytes", put.valueSizeBytes());
        row.put("valueCommit", put.valueCommit().hex());
      }
      case Op.Delete delete -> {
        row.put("action", "delete");
        row.putAll(keyRow(delete.key()));
      }
    }
    switch (op.precondition()) {
      case Precondition.None() -> {}
      case Precondition.IfAbsent() -> row.put("ifAbsent", true);
      case Precondition.IfVersion(var jsn) -> row.put("ifVersion", jsn.value());
      case Precondition.IfCommit(var commit) -> row.put("ifCommit", commit.hex());
    }
    return row;
  }
}
