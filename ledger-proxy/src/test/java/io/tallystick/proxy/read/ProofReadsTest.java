package io.tallystick.proxy.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.InclusionProof;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Fixtures;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a proof costs one read of the node, whichever front asks for it. Method: the real
/// application on a node that notes what is called.
class ProofReadsTest {
  @TempDir private Path directory;
  private @Nullable CountedNode counted;

  @Test
  void readsTheLogOnceForAnInclusionProof() throws Exception {
    ServiceProperties properties =
        ServiceProperties.of(directory, 0).withReads(ServiceProperties.Reads.ANYONE);
    try (RunningService service =
        TallystickService.start(
            (data, authority, signatures, meters, gpu) ->
                counted = new CountedNode(LocalNode.open(data, authority, signatures, meters, gpu)),
            properties)) {
      CountedNode node = Objects.requireNonNull(counted);
      CreatedLedger ledger = found(node.node());
      Digest genesis = TreeHasher.leafHash(ledger.genesisLeaf());
      node.takeReads();

      assertThat(overGrpc(service, ledger.ledger().id().digest()).getLeafHash().toByteArray())
          .isEqualTo(genesis.toArray());
      assertThat(node.takeReads()).containsExactly("inclusion");

      assertThat(overRest(service, ledger.ledger().id().hex())).contains(genesis.hex());
      assertThat(node.takeReads()).containsExactly("inclusion");
    }
  }

  private static CreatedLedger found(LedgerNode node) throws Exception {
    ServiceIdentity identity = node.identity();
    Fixtures ledger =
        Fixtures.ledger(
            node.timeMs(), identity.authority().value(), identity.noteKey(), identity.receiptKey());
    return node.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(),
            ledger.genesisAttestation().encode(),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
            SignatureProviders.best()));
  }

  private static InclusionProof overGrpc(RunningService service, Digest ledger) {
    ManagedChannel channel = NettyChannelBuilder.forTarget(service.target()).usePlaintext().build();
    try {
      return JournalServiceGrpc.newBlockingStub(channel)
          .getInclusionProof(
              GetInclusionProofRequest.newBuilder()
                  .setLedgerId(ByteString.copyFrom(ledger.toArray()))
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }

  private static String overRest(RunningService service, String ledger) throws Exception {
    URI proof = URI.create(service.httpTarget() + "/v1/ledgers/" + ledger + "/journals/0/proof");
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(proof).build(), BodyHandlers.ofString()).body();
    }
  }
}
