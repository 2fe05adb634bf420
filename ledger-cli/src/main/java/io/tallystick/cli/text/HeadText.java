package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Output;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.HeadAge;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;

/// When the newest head that a command has verified was sealed, and how long ago that is.
public final class HeadText {
  private HeadText() {}

  /// Prints an answer about a ledger, and the age of the head that it was verified with.
  public static void print(
      Output output, LedgerHandle ledger, String text, Map<String, Object> object) {
    VerifiedBlock newest = newest(ledger);
    object.put("newestHead", row(newest));
    output.print(text + System.lineSeparator() + line(newest), object);
  }

  /// The same of text that other programs read: the age goes to standard error.
  public static void printAside(
      Output output, LedgerHandle ledger, String text, Map<String, Object> object) {
    VerifiedBlock newest = newest(ledger);
    object.put("newestHead", row(newest));
    output.print(text, object);
    if (!output.isJson()) {
      output.err().println(line(newest));
    }
  }

  /// The newest block of a ledger that is read: opening it has asked for that ({@link
  /// ReadOptions}).
  public static VerifiedBlock newest(LedgerHandle ledger) {
    return ledger.newestSeen().orElseThrow();
  }

  private static String line(VerifiedBlock newest) {
    return String.format(Locale.ROOT, "Newest head sealed %s.", age(newest).text());
  }

  private static HeadAge age(VerifiedBlock block) {
    return block.age(InstantSource.system());
  }

  private static Map<String, Object> row(VerifiedBlock block) {
    HeadAge age = age(block);
    Map<String, Object> row =
        Output.object(
            "size",
            block.head().size().value(),
            "height",
            block.height(),
            "sealed",
            age.sealed().toString(),
            "ageMs",
            age.age().toMillis());
    if (!age.ahead().isZero()) {
      row.put("aheadMs", age.ahead().toMillis());
    }
    return row;
  }
}
