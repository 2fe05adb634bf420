package io.tallystick.proxy;

import io.tallystick.master.tledger.SubmittedLedgers;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.anchor.Submitting;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Submitting heads of ledgers to a T-Ledger.
///
/// @param at `tallystick.time.submit.at`: HOST:PORT of the service that keeps the T-Ledger; TLS is
///   used unless that is a loopback address
/// @param id `tallystick.time.submit.id`: the T-Ledger's id, which is pinned by this
/// @param ledgers `tallystick.time.submit.ledgers`: ids of the ledgers whose heads go there,
///   separated by commas, or `all`. Their ids and their pace become public
/// @param interval `tallystick.time.submit.interval`: the least time between two heads of a ledger.
///   Default 60s
/// @param invitation `tallystick.time.submit.invitation`: file with the invitation that the
///   T-Ledger's operator gave. Without one its list must name the ledgers
public record SubmitProperties(
    String at,
    String id,
    List<String> ledgers,
    @DefaultValue("60s") Duration interval,
    @Nullable String invitation) {
  private static final Pattern INVITATION = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern AT = Pattern.compile("([^:\\s]+):([0-9]{1,5})");
  private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");
  private static final String ALL = "all";
  private static final long INVITATION_BYTES_MAX = 1_024;

  public SubmitProperties {
    if (at == null || !AT.matcher(at).matches()) {
      throw new IllegalArgumentException("tallystick.time.submit.at is " + at + ", want HOST:PORT");
    }
    checkId("id", id);
    ledgers = ledgers == null ? List.of() : List.copyOf(ledgers);
    if (ledgers.isEmpty()) {
      throw new IllegalArgumentException(
          "tallystick.time.submit.ledgers is missing: ids of ledgers, or all");
    }
    if (!ledgers.equals(List.of(ALL))) {
      ledgers.forEach(each -> checkId("ledgers", each));
    }
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("tallystick.time.submit.interval is " + interval);
    }
  }

  private static void checkId(String name, String id) {
    if (id == null || !ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "tallystick.time.submit." + name + " has " + id + ", want 64 lower-case hex digits");
    }
  }

  Submitting.Target target() {
    Matcher where = AT.matcher(at);
    if (!where.matches()) {
      throw new AssertionError("checked above");
    }
    LedgerId tLedger = LedgerId.fromHex(id);
    Set<LedgerId> listed =
        ledgers.contains(ALL)
            ? Set.of()
            : ledgers.stream().map(LedgerId::fromHex).collect(Collectors.toUnmodifiableSet());
    return new Submitting.Target(
        where.group(1),
        Integer.parseInt(where.group(2)),
        isLoopback(where.group(1)),
        tLedger,
        new SubmittedLedgers(listed, tLedger),
        interval);
  }

  /// @return empty if there is none
  /// @throws IOException if the file cannot be read or holds none; the message names it
  String invitationText() throws IOException {
    if (invitation == null) {
      return "";
    }
    Path file = Path.of(invitation);
    if (Files.size(file) > INVITATION_BYTES_MAX) {
      throw new IOException(file + " is too large to be an invitation");
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    if (!INVITATION.matcher(text).matches()) {
      throw new IOException(file + " holds no invitation of 64 lower-case hex digits");
    }
    return text;
  }

  private static boolean isLoopback(String host) {
    try {
      return host.equals("localhost") || InetAddress.ofLiteral(host).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false; // a name
    }
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.time.submit.at=" + at);
    arguments.add("--tallystick.time.submit.id=" + id);
    arguments.add("--tallystick.time.submit.ledgers=" + String.join(",", ledgers));
    arguments.add("--tallystick.time.submit.interval=" + interval.toMillis() + "ms");
    if (invitation != null) {
      arguments.add("--tallystick.time.submit.invitation=" + invitation);
    }
    return arguments;
  }
}
