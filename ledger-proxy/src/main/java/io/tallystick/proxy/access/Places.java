package io.tallystick.proxy.access;

import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which ledgers took a place to submit heads: by an invitation for good, of the others within the
/// last hour. It is in a file, a line `ID invitation SHA-256` or `ID anybody MS` each, so that a
/// restart frees none. Thread-safe.
final class Places {
  private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);

  /// One address takes half of an hour's places.
  private static final int SHARE = 2;

  private static final Pattern LINE =
      Pattern.compile("([0-9a-f]{64}) (?:invitation ([0-9a-f]{64})|anybody ([0-9]{1,18}))");

  private final Path file;
  private final Map<Digest, Set<LedgerId>> invited = new HashMap<>();
  private final LinkedHashMap<LedgerId, Taken> begun = new LinkedHashMap<>();

  /// @param address who took it; empty if that was before the start
  private record Taken(long timeMs, String address) {}

  private Places(Path file) {
    this.file = file;
  }

  /// @throws IOException if it cannot be read, or a line is none
  static Places read(Path file) throws IOException {
    Places places = new Places(file);
    String text;
    try {
      text = Files.readString(file, StandardCharsets.US_ASCII);
    } catch (NoSuchFileException _) {
      return places;
    }
    for (String line : text.lines().toList()) {
      Matcher parts = LINE.matcher(line);
      if (!parts.matches()) {
        throw new IOException(file + " is damaged: " + line);
      }
      LedgerId ledger = LedgerId.fromHex(parts.group(1));
      if (parts.group(2) != null) {
        places.of(Digest.fromHex(parts.group(2))).add(ledger);
      } else {
        places.begun.put(ledger, new Taken(Long.parseLong(parts.group(3)), ""));
      }
    }
    return places;
  }

  private Set<LedgerId> of(Digest invitation) {
    return invited.computeIfAbsent(invitation, _ -> new HashSet<>());
  }

  /// @throws RequestRejectedException `RATE_LIMITED` if it has no place and none is left
  synchronized void check(LedgerId ledger, Digest invitation, int count)
      throws RequestRejectedException {
    Set<LedgerId> ledgers = invited.getOrDefault(invitation, Set.of());
    if (!ledgers.contains(ledger) && ledgers.size() >= count) {
      throw ListedSubmitters.full(
          count, "the invitation is for " + count + " ledgers, which have submitted");
    }
  }

  synchronized void take(LedgerId ledger, Digest invitation, int count)
      throws RequestRejectedException {
    check(ledger, invitation, count);
    if (of(invitation).add(ledger)) {
      write();
    }
  }

  /// @param address of the caller; empty if it is not known
  /// @throws RequestRejectedException `RATE_LIMITED` if it has no place and none is left
  synchronized void check(LedgerId ledger, String address, int anHour, long nowMs)
      throws RequestRejectedException {
    begun.values().removeIf(taken -> taken.timeMs <= nowMs - HOUR_MS);
    if (begun.containsKey(ledger)) {
      return;
    }
    if (begun.size() >= anHour) {
      throw ListedSubmitters.full(
          anHour, begun.size() + " ledgers began to submit within an hour, at most " + anHour);
    }
    int share = Math.ceilDiv(anHour, SHARE);
    long own = begun.values().stream().filter(taken -> taken.address.equals(address)).count();
    if (!address.isEmpty() && own >= share) {
      throw ListedSubmitters.full(
          share, own + " ledgers from this address within an hour, at most " + share);
    }
  }

  synchronized void take(LedgerId ledger, String address, int anHour, long nowMs)
      throws RequestRejectedException {
    check(ledger, address, anHour, nowMs);
    if (begun.putIfAbsent(ledger, new Taken(nowMs, address)) == null) {
      write();
    }
  }

  /// On the disk when this returns. It has a line for each place, some megabytes at most.
  private void write() throws RequestRejectedException {
    StringBuilder text = new StringBuilder();
    invited.forEach((invitation, ledgers) ->
        ledgers.forEach(ledger ->
            text.append(ledger).append(" invitation ").append(invitation.hex()).append('\n')));
    begun.forEach((ledger, taken) ->
        text.append(ledger).append(" anybody ").append(taken.timeMs).append('\n'));
    try {
      PrivateFile.replace(file, text.toString().getBytes(StandardCharsets.US_ASCII));
      PrivateFile.force(file.resolveSibling(""));
    } catch (IOException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "who submits cannot be written down now", e);
    }
  }
}
