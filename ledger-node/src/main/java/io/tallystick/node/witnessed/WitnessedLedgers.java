package io.tallystick.node.witnessed;

import io.tallystick.durable.DurableFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The ledgers of a data directory whose heads were ever shown to witnesses, in a file of one id a
/// line. A backup says so of them: going back behind a cosigned head is found out for certain.
public final class WitnessedLedgers {
  /// In the data directory, once there was a witness.
  public static final String FILE = "witnessed";

  private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

  private WitnessedLedgers() {}

  /// @throws IOException also if the file has anything but ids
  public static Set<LedgerId> read(Path dataDirectory) throws IOException {
    Set<LedgerId> ledgers = new TreeSet<>(Comparator.comparing(LedgerId::hex));
    Bytes content = DurableFile.in(dataDirectory, FILE).read().orElse(Bytes.EMPTY);
    for (String line : new String(content.toArray(), StandardCharsets.UTF_8).lines().toList()) {
      if (!ID.matcher(line).matches()) {
        throw new IOException(dataDirectory.resolve(FILE) + " has a line that is no ledger id");
      }
      ledgers.add(LedgerId.fromHex(line));
    }
    return ledgers;
  }

  /// Adds to those that are there; on the disk when this returns.
  public static void add(Path dataDirectory, Collection<LedgerId> ledgers) throws IOException {
    Set<LedgerId> all = read(dataDirectory);
    if (all.addAll(ledgers)) {
      String lines = all.stream().map(id -> id.hex() + "\n").collect(Collectors.joining());
      DurableFile.in(dataDirectory, FILE).replace(Bytes.utf8(lines));
    }
  }
}
