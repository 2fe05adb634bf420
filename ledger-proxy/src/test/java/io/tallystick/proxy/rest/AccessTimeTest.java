package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeParts;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.server.shard.ShardConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a clock that is set back gives nobody back what has expired. Method: a real service whose
/// clock the test sets, a member that has expired by the ledger's newest journal, and a token from
/// before it, over REST and gRPC.
class AccessTimeTest {
  private static final long TEN_MINUTES_MS = 600_000;
  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);
  private static final Signer AGENT = RestService.key(SignatureAlgorithm.ED25519);

  @TempDir private static Path data;
  private static volatile long offsetMs;
  private static RestService rest;
  private static String ledger;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() throws Exception {
    NodeSeams seams =
        new NodeSeams(
            NodeParts::local,
            () -> Instant.ofEpochMilli(System.currentTimeMillis() + offsetMs),
            ShardConfig.defaults());
    rest =
        new RestService(
            (folders, authority, signatures, meters, _) ->
                LocalNode.open(folders, authority, seams, signatures, meters),
            ServiceProperties.of(data, 0));
    ledger = rest.found("read in time", OWNER);
    channel =
        Grpc.newChannelBuilder(rest.target(), InsecureChannelCredentials.create())
            .disableRetry()
            .build();
  }

  @AfterAll
  static void stop() throws Exception {
    channel.shutdownNow();
    assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    rest.close();
  }

  private static String token(Signer key, String audience, long fromNowMs) {
    return AccessTest.token(key, audience, (System.currentTimeMillis() + fromNowMs) / 1000);
  }

  private static Answer read(String path, String token) throws Exception {
    return rest.get(path, "Authorization", "Bearer " + token);
  }

  private static String id() {
    return ledger.substring(ledger.lastIndexOf('/') + 1);
  }

  private static long grpcSize(String token) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return LedgerServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .getLedger(
            GetLedgerRequest.newBuilder()
                .setLedgerId(ByteString.copyFrom(LedgerId.fromHex(id()).digest().toArray()))
                .build())
        .getSize();
  }

  private static void refused(String token, String why) throws Exception {
    for (String path : new String[] {ledger, ledger + "/journals"}) {
      Answer answer = read(path, token);
      assertThat(answer.status()).as(answer.text()).isEqualTo(401);
      assertThat(answer.json().get("code").stringValue()).isEqualTo("token_invalid");
      assertThat(answer.json().get("detail").stringValue()).contains(why);
    }
    assertThatThrownBy(() -> grpcSize(token))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining(why);
  }

  @Test
  void whatExpiredByTheNewestJournalStaysExpiredWhenTheClockGoesBack() throws Exception {
    ObjectNode grant =
        RestService.MAPPER
            .createObjectNode()
            .put("action", "grant")
            .put("role", "readOnly")
            .put("delegated", true)
            .put("notAfterMs", System.currentTimeMillis() + TEN_MINUTES_MS / 2)
            .put("spki", RestService.base64(AGENT.publicKey()));
    ObjectNode request = rest.signed(ledger + "/members:prepare", grant, OWNER);
    assertThat(rest.post(ledger + "/members", request).status()).isEqualTo(201);
    String agents = token(AGENT, id(), 200_000);
    String owners = token(OWNER, id(), 200_000);
    assertThat(read(ledger, agents).status()).isEqualTo(200);
    assertThat(read(ledger, owners).status()).isEqualTo(200);
    assertThat(grpcSize(agents)).isPositive();

    offsetMs = TEN_MINUTES_MS;
    assertThat(rest.post(ledger + "/journals", rest.prepared(ledger, "later", OWNER)).status())
        .isEqualTo(201);
    refused(agents, "expired");

    offsetMs = 0;
    refused(agents, "expired");
    refused(owners, "expired");
    // A new token, by the ledger's time: the member itself has expired.
    long byTheLedgerMs = TEN_MINUTES_MS + 200_000;
    refused(token(AGENT, id(), byTheLedgerMs), "not signed by a current member");
    assertThat(read("/v1/ledgers", token(AGENT, "localhost", byTheLedgerMs)).status())
        .isEqualTo(401);
    assertThat(read(ledger, token(OWNER, id(), byTheLedgerMs)).status()).isEqualTo(200);
    assertThat(grpcSize(token(OWNER, id(), byTheLedgerMs))).isPositive();
  }
}
