package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.node.NodeOptions;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeParts;
import io.tallystick.server.host.NodeSeams;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a disk that stands still makes the service not ready, says so, and is forgiven when it
/// goes on; one that turns read-only takes no appends, and every read that needs no write goes on.
/// Method: a real service on a twin, and on an ext4 file system that is frozen and then meets an
/// error.
class DiskTroubleTest {
  private static final Duration STALL = Duration.ofSeconds(1);
  private static final long DEADLINE_MILLIS = 60_000;
  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);

  @TempDir private Path home;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDiskThatStandsStillAndOneThatTurnsReadOnly(boolean real) throws Exception {
    try (TroubledDisk disk = TroubledDisk.create(home, real)) {
      try (RestService rest =
          new RestService(
              (folders, authority, signatures, meters, options) ->
                  LocalNode.open(folders, authority, seams(disk, options), signatures, meters),
              ServiceProperties.of(disk.root, 0)
                  .withReads(ServiceProperties.Reads.ANYONE)
                  .withDiskStall(STALL))) {
        String ledger = rest.found("on a bad disk", OWNER);
        long jsn = rest.append(ledger, "before", List.of("clue"), OWNER);
        standsStill(rest, disk, ledger);
        turnsReadOnly(rest, disk, ledger, jsn);
      }
    }
  }

  private static NodeSeams seams(TroubledDisk disk, NodeOptions options) {
    return new NodeSeams(
        (data, hasher) -> NodeParts.local(data, hasher, disk::around),
        InstantSource.system(),
        NodeSeams.production(options).config().withFreeBytesMin(0));
  }

  private static void standsStill(RestService rest, TroubledDisk disk, String ledger)
      throws Exception {
    ObjectNode waiting = rest.prepared(ledger, "waits", OWNER);
    ObjectNode later = rest.prepared(ledger, "later", OWNER);
    disk.freeze();
    CompletableFuture<Answer> answer =
        CompletableFuture.supplyAsync(() -> {
          try {
            return rest.post(ledger + "/journals", waiting);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    try {
      awaitReadiness(rest, 503);
      JsonNode shard = rest.get("/actuator/health").json().get("components").get("shard");
      assertThat(shard.get("details").get("appendable").booleanValue()).isFalse();
      assertThat(shard.get("details").get("readable").booleanValue()).isTrue();
      assertThat(meter(rest, "ledger_disk_stalled_seconds")).isPositive();
      assertThat(meter(rest, "ledger_shard_appendable")).isZero();
      Answer refused = rest.post(ledger + "/journals", later);
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.json().get("code").stringValue()).isEqualTo("unavailable");
      assertThat(refused.json().get("detail").stringValue()).contains("the disk stands still");
      assertThat(rest.get(ledger + "/checkpoint").status()).isEqualTo(200);
      assertThat(answer).isNotDone();
    } finally {
      disk.thaw();
    }
    assertThat(answer.get(DEADLINE_MILLIS, TimeUnit.MILLISECONDS).status()).isEqualTo(201);
    awaitReadiness(rest, 200);
    assertThat(meter(rest, "ledger_disk_stalled_seconds")).isZero();
    assertThat(rest.post(ledger + "/journals", later).status()).isEqualTo(201);
  }

  private static void turnsReadOnly(RestService rest, TroubledDisk disk, String ledger, long jsn)
      throws Exception {
    ObjectNode first = rest.prepared(ledger, "first", OWNER);
    ObjectNode second = rest.prepared(ledger, "second", OWNER);
    disk.turnReadOnly();
    assertThat(rest.post(ledger + "/journals", first).json().get("code").stringValue())
        .isEqualTo("unavailable");
    awaitReadiness(rest, 503);
    JsonNode shard = rest.get("/actuator/health").json().get("components").get("shard");
    assertThat(shard.get("details").get("readable").booleanValue()).isTrue();
    Answer refused = rest.post(ledger + "/journals", second);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.json().get("code").stringValue()).isEqualTo("unavailable");
    String files = "/l/" + ledger.substring(ledger.lastIndexOf('/') + 1) + "/0";
    for (String path :
        List.of(
            ledger,
            ledger + "/members",
            ledger + "/journals",
            ledger + "/journals/" + jsn,
            ledger + "/journals/" + jsn + "/receipt",
            ledger + "/journals/" + jsn + "/proof",
            ledger + "/journals/" + jsn + "/membership?clue=clue",
            ledger + "/lineage?clue=clue",
            ledger + "/clue?clue=clue",
            ledger + "/consistency?from=1",
            ledger + "/blocks/latest",
            ledger + "/checkpoint",
            files + "/checkpoint",
            files + "/tile/0/000.p/2",
            files + "/tile/entries/000.p/2",
            files + "/bodies/000.p/2")) {
      Answer answer = rest.get(path);
      assertThat(answer.status()).as(path + " " + answer.text()).isEqualTo(200);
    }
  }

  private static void awaitReadiness(RestService rest, int status) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MILLIS);
    while (rest.get("/actuator/health/readiness").status() != status) {
      assertThat(System.nanoTime()).as("readiness " + status).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  private static double meter(RestService rest, String name) throws Exception {
    return rest.get("/actuator/prometheus")
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }
}
