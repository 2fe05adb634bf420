package io.tallystick.cli.operator;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.SettingsFile;
import io.tallystick.proxy.TallystickService;
import io.tallystick.testkit.TestWitness;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: `tally up` goes by its options, then by the variables of docs/configuration.md, then by a
/// file, then by the defaults. Method: each row of that page is set in each way.
class UpSettingsTest {
  private static final Pattern ROW =
      Pattern.compile("\\| `(tallystick\\.[^`]+)` \\| (?:`([^`]*)`|none) \\| .*");
  private static final String ID = "5a".repeat(32);
  private static final String WITNESS = TestWitness.of("one.example").key().vkey() + " http://w";
  private static final String SECOND_WITNESS =
      TestWitness.of("two.example").key().vkey() + " http://w";
  private static final List<String> TLS =
      List.of("--tls-certificate", "c", "--tls-private-key", "k");
  private static final List<String> TIME =
      List.of("--time-authority", "http://t", "--time-ca", "t");
  private static final List<String> SUBMIT =
      List.of("--submit-to", "localhost:1", "--submit-id", ID, "--submit-ledger", "all");
  private static final List<String> WITNESSES =
      List.of("--witness", WITNESS, "--witness-ledger", ID);

  /// What some settings need beside them, so that each can be changed alone.
  private static final Map<String, String> BASE =
      Map.ofEntries(
          entry("TALLYSTICK_TLS_CERTIFICATE", "c"),
          entry("TALLYSTICK_TLS_PRIVATEKEY", "k"),
          entry("TALLYSTICK_TIME_AUTHORITIES", "http://t"),
          entry("TALLYSTICK_TIME_CA", "t"),
          entry("TALLYSTICK_TIME_SUBMIT_AT", "localhost:1"),
          entry("TALLYSTICK_TIME_SUBMIT_ID", ID),
          entry("TALLYSTICK_TIME_SUBMIT_LEDGERS", "all"),
          entry("TALLYSTICK_WITNESS_WITNESSES", WITNESS),
          entry("TALLYSTICK_WITNESS_LEDGERS", ID));

  /// @param option with what it needs beside it; its own value, if it takes one, comes last
  /// @param ofOption the value as a setting
  /// @param ofVariable another one
  private record Way(List<String> option, String ofOption, String ofVariable) {}

  private static Way way(String option, String value, String ofVariable) {
    return new Way(List.of(option, value), value, ofVariable);
  }

  private static Way seconds(List<String> beside, String option) {
    List<String> all = new ArrayList<>(beside);
    all.addAll(List.of(option, "7"));
    return new Way(all, "7s", "8s");
  }

  private static Way in(List<String> group, String option, String value, String ofVariable) {
    List<String> all = new ArrayList<>(group);
    int at = all.indexOf(option);
    if (at >= 0) {
      all.set(at + 1, value);
    } else {
      all.addAll(List.of(option, value));
    }
    return new Way(all, value, ofVariable);
  }

  private static final Map<String, Way> WAYS =
      Map.ofEntries(
          entry("address", way("--address", "127.0.0.2", "127.0.0.3")),
          entry("authority", way("--authority", "a.example", "b.example")),
          entry("block.journals", way("--block-journals", "1", "2")),
          entry("block.linger", new Way(List.of("--block-linger", "7"), "7ms", "8ms")),
          entry("connection-age", seconds(List.of(), "--connection-age")),
          entry("data-dir", way("--data", "a", "b")),
          entry("disk-stall", seconds(List.of(), "--disk-stall")),
          entry("founders", way("--founders", "a", "b")),
          entry("gpu", way("--gpu", "off", "require")),
          entry("grpc-reflection", new Way(List.of("--grpc-reflection"), "true", "false")),
          entry("http-port", way("--http-port", "5001", "5002")),
          entry("insecure-dev", new Way(List.of("--insecure-dev"), "true", "false")),
          entry("ipv6", new Way(List.of("--ipv6"), "true", "false")),
          entry("keys-dir", way("--keys", "a", "b")),
          entry("limits.member-journals-per-second", way("--member-journals", "1", "2")),
          entry("limits.member-reads-per-second", way("--member-reads", "1", "2")),
          entry("log-format", way("--log-format", "text", "json")),
          entry("management.address", way("--management-address", "127.0.0.2", "127.0.0.3")),
          entry("management.port", way("--management-port", "5001", "5002")),
          entry("members.ca", way("--member-ca", "a", "b")),
          entry("port", way("--port", "4510", "5002")),
          entry("reads", way("--reads", "members", "anyone")),
          entry("shutdown-delay", seconds(List.of(), "--shutdown-delay")),
          entry("state.cache-megabytes", way("--state-cache-megabytes", "33", "34")),
          entry("state.replay-operations", way("--state-replay-operations", "1000", "1001")),
          entry("state.versions", way("--state-versions", "1", "2")),
          entry("state.versions-megabytes", way("--state-versions-megabytes", "1", "2")),
          entry("time.authorities", in(TIME, "--time-authority", "http://a", "http://b")),
          entry("time.ca", in(TIME, "--time-ca", "a", "b")),
          entry("time.count", in(TIME, "--time-count", "1", "2")),
          entry("time.interval", seconds(TIME, "--time-interval")),
          entry("time.policy", in(TIME, "--time-policy", "1.2.3", "1.2.4")),
          entry("time.submit.at", in(SUBMIT, "--submit-to", "localhost:2", "localhost:3")),
          entry("time.submit.id", in(SUBMIT, "--submit-id", "5b".repeat(32), "5c".repeat(32))),
          entry("time.submit.interval", seconds(SUBMIT, "--submit-interval")),
          entry("time.submit.invitation", in(SUBMIT, "--submit-invitation", "a", "b")),
          entry("time.submit.ledgers", in(SUBMIT, "--submit-ledger", ID, "5b".repeat(32))),
          entry("time.submitters", way("--submitters", "a", "b")),
          entry("time.t-ledger", new Way(List.of("--t-ledger"), "true", "false")),
          entry("time.timeout", seconds(TIME, "--time-timeout")),
          entry("tls.certificate", in(TLS, "--tls-certificate", "a", "b")),
          entry("tls.client-ca", in(TLS, "--tls-client-ca", "a", "b")),
          entry("tls.private-key", in(TLS, "--tls-private-key", "a", "b")),
          entry("tracing.endpoint", way("--trace-to", "http://a", "http://b")),
          entry("tracing.sampling", way("--trace-sampling", "0.5", "0.75")),
          entry("witness.interval", seconds(WITNESSES, "--witness-interval")),
          entry(
              "witness.ledgers",
              in(WITNESSES, "--witness-ledger", "5b".repeat(32), "5c".repeat(32))),
          entry(
              "witness.quorum",
              new Way(
                  List.of(
                      "--witness",
                      WITNESS,
                      "--witness",
                      SECOND_WITNESS,
                      "--witness-ledger",
                      ID,
                      "--witness-quorum",
                      "1"),
                  "1",
                  "2")),
          entry("witness.timeout", seconds(WITNESSES, "--witness-timeout")),
          entry("witness.witnesses", in(WITNESSES, "--witness", WITNESS + "/a", WITNESS + "/b")));

  @TempDir private Path folder;

  private static ServiceProperties settings(String argument, Map<String, String> environment) {
    return TallystickService.settings(List.of(argument), environment, SettingsFile.NONE);
  }

  private static ServiceProperties up(List<String> options, Map<String, String> environment)
      throws Exception {
    UpCommand command = new UpCommand();
    new CommandLine(command).parseArgs(options.toArray(String[]::new));
    return command.settings(environment).properties();
  }

  /// As the page says: upper case, no hyphens, `_` for each dot.
  private static String variable(String name) {
    return name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
  }

  @Test
  void eachRowOfThePageIsSetByOptionVariableAndDefault() throws Exception {
    int rows = 0;
    for (String line : Files.readAllLines(Path.of("..", "docs", "configuration.md"))) {
      Matcher row = ROW.matcher(line);
      if (!row.matches()) {
        continue;
      }
      rows++;
      String name = row.group(1);
      Way way = Objects.requireNonNull(WAYS.get(name.substring("tallystick.".length())), name);
      Map<String, String> environment = new HashMap<>(BASE);
      if (name.endsWith("witness.quorum")) {
        environment.put("TALLYSTICK_WITNESS_WITNESSES", WITNESS + "," + SECOND_WITNESS);
      }
      if (name.endsWith("time.submitters")) {
        environment.put("TALLYSTICK_TIME_TLEDGER", "true");
      }
      if (name.endsWith("insecure-dev")) {
        environment.keySet().removeIf(each -> each.startsWith("TALLYSTICK_TLS"));
      }
      ServiceProperties standard = up(List.of(), environment);
      if (row.group(2) != null) {
        assertThat(standard)
            .as(name)
            .isEqualTo(settings("--" + name + "=" + row.group(2), environment));
      }
      ServiceProperties first = settings("--" + name + "=" + way.ofOption, environment);
      ServiceProperties second = settings("--" + name + "=" + way.ofVariable, environment);
      assertThat(first).as(name).isNotEqualTo(second);
      comesFirst(name, variable(name), way, environment, first, second);
    }
    assertThat(rows).isEqualTo(WAYS.size());
  }

  /// Option, variable, file: each before the next.
  private void comesFirst(
      String name,
      String variable,
      Way way,
      Map<String, String> environment,
      ServiceProperties first,
      ServiceProperties second)
      throws Exception {
    environment.remove(variable);
    List<String> file = List.of("--settings", file(name + " = " + way.ofVariable));
    assertThat(up(file, environment)).as(name).isEqualTo(second);
    assertThat(up(both(file, way.option), environment)).as(name).isEqualTo(first);
    environment.put(variable, way.ofVariable);
    List<String> other = List.of("--settings", file(name + ":" + way.ofOption));
    assertThat(up(other, environment)).as(name).isEqualTo(second);
    assertThat(up(List.of(), environment)).as(name).isEqualTo(second);
    assertThat(up(way.option, environment)).as(name).isEqualTo(first);
  }

  private static List<String> both(List<String> one, List<String> other) {
    List<String> all = new ArrayList<>(one);
    all.addAll(other);
    return all;
  }

  private String file(String content) throws IOException {
    return Files.writeString(folder.resolve("settings"), content).toString();
  }

  @Test
  void ofAFileEachNameIsASetting() throws Exception {
    for (Map.Entry<String, String> wrong :
        Map.of(
                "tallystick.prot=1", "tallystick.prot: no setting has this name",
                "tallystick.time.cont=1", "tallystick.time.cont: no setting has this name",
                "server.port=1", "server.port is no setting",
                "tallystick.port=1\n# again\ntallystick.port=2", "tallystick.port is set twice",
                "tallystick.port=many", "tallystick.port: ",
                "tallystick.authority=\\u00zz", "Malformed")
            .entrySet()) {
      String file = file(wrong.getKey());
      assertThatThrownBy(() -> up(List.of("--settings", file), Map.of()))
          .isInstanceOf(UsageException.class)
          .hasMessageContaining(wrong.getValue());
    }
    Files.write(folder.resolve("settings"), new byte[] {(byte) 0xff});
    assertThatThrownBy(
            () -> up(List.of("--settings", folder.resolve("settings").toString()), Map.of()))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("it is not UTF-8");
    assertThatThrownBy(() -> up(List.of("--settings", folder.toString()), Map.of()))
        .isInstanceOf(FileSystemException.class);
  }

  @Test
  void whatIsWrongIsToldWhereverItStands() {
    assertThatThrownBy(() -> up(List.of(), Map.of("TALLYSTICK_AUTHORITY", "a b")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("tallystick.authority");
    assertThatThrownBy(() -> up(List.of(), Map.of("TALLYSTICK_PORT", "many")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("tallystick.port: ")
        .hasMessageContaining("many");
    assertThatThrownBy(() -> up(List.of("--reads", "none"), Map.of()))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--reads is members or anyone, not none");
  }

  @Test
  void settingsOfDifferentGroupsAreHeldAgainstOneAnother() {
    assertThatThrownBy(() ->
            up(
                List.of("--address", "192.0.2.1", "--reads", "anyone"),
                Map.of("TALLYSTICK_TLS_CERTIFICATE", "c", "TALLYSTICK_TLS_PRIVATEKEY", "k")))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "tallystick.reads is anyone, which only a loopback address may have, not 192.0.2.1");
    assertThatThrownBy(() -> up(List.of("--insecure-dev"), Map.of("TALLYSTICK_AUTHORITY", "a.b")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("which only the authority localhost may have, not a.b");
    assertThatThrownBy(() -> up(List.of("--management-port", "4511"), Map.of()))
        .isInstanceOf(UsageException.class)
        .hasMessage("tallystick.management.port is 4511, and so is tallystick.http-port");
    assertThatThrownBy(() -> up(List.of("--management-address", "::1"), Map.of()))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("an address of IPv6: that needs tallystick.ipv6");
  }
}
