package io.tallystick.proxy.access;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// The operator's list of who may submit heads to the T-Ledger. A line is `ledger ID`, `invitation
/// SHA-256 LEDGERS` or `anybody LEDGERS`, with anything behind a further space; empty lines and
/// those that begin with `#` say nothing.
///
/// @param ledgers that may submit
/// @param invitations how many ledgers may submit with an invitation, by the SHA-256 of its text
/// @param anybody how many other ledgers may begin to submit in an hour; 0: none
record SubmittersFile(Set<LedgerId> ledgers, Map<Digest, Integer> invitations, int anybody) {
  static final SubmittersFile NOBODY = new SubmittersFile(Set.of(), Map.of(), 0);

  /// The ledgers that one line may name; also how many lines there may be.
  private static final int LEDGERS_MAX = 10_000;

  private static final int INVITATIONS_MAX = 1_000;
  private static final Pattern LINE =
      Pattern.compile(
          "(?:ledger +([0-9a-f]{64})|invitation +([0-9a-f]{64}) +([0-9]{1,5})|anybody"
              + " +([0-9]{1,5}))( .*)?");
  private static final String OTHERWISE =
      "none of `ledger ID`, `invitation SHA-256 LEDGERS`, `anybody LEDGERS`";

  SubmittersFile {
    ledgers = Set.copyOf(ledgers);
    invitations = Map.copyOf(invitations);
  }

  /// @throws IOException if it cannot be read, or a line is none; the message names file and line
  static SubmittersFile read(Path file) throws IOException {
    Set<LedgerId> ledgers = new HashSet<>();
    Map<Digest, Integer> invitations = new HashMap<>();
    int anybody = 0;
    for (ListedLines.Line line : new ListedLines(file, LINE, OTHERWISE).read()) {
      MatchResult parts = line.parts();
      if (parts.group(1) != null) {
        ledgers.add(LedgerId.fromHex(parts.group(1)));
      } else if (parts.group(2) != null) {
        invitations.put(Digest.fromHex(parts.group(2)), count(file, line.number(), parts.group(3)));
      } else {
        anybody = count(file, line.number(), parts.group(4));
      }
    }
    if (invitations.size() > INVITATIONS_MAX) {
      throw new IOException(file + " has more than " + INVITATIONS_MAX + " invitations");
    }
    return new SubmittersFile(ledgers, invitations, anybody);
  }

  private static int count(Path file, int line, String digits) throws IOException {
    int count = Integer.parseInt(digits);
    if (count < 1 || count > LEDGERS_MAX) {
      throw new IOException(
          file + " line " + line + ": " + count + " ledgers, want 1 to " + LEDGERS_MAX);
    }
    return count;
  }

  @Override
  public String toString() {
    return ledgers.size()
        + " ledgers, "
        + invitations.size()
        + " invitations, "
        + anybody
        + " others an hour";
  }
}
