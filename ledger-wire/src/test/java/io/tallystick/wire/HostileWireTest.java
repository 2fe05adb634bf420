package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Done;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.NodeChange;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeRead;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.wire.TestCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whatever a peer sends ends in a typed answer, a connection goes on where it may, and
/// nobody comes in by a certificate that is not for it. Method: a channel of the test's own with a
/// proxy's certificate, and bytes that no stub sends.
class HostileWireTest {
  private static final Bytes NO_BODY = Bytes.EMPTY;
  private static final WireMessage.Meant ANY = new WireMessage.Meant(WiredNode.SHARD, 0);

  @TempDir private Path directory;
  private WiredNode wired;
  private ManagedChannel channel;

  @BeforeEach
  void open() throws Exception {
    wired = new WiredNode(directory, true);
    channel = channel(wired.cluster.of(WireRole.PROXY.uri(WiredNode.CLUSTER)));
  }

  private ManagedChannel channel(WireTls tls) throws IOException {
    return NettyChannelBuilder.forAddress(WiredNode.loopback(wired.listener.port()))
        .sslContext(tls.client(WireRole.PROXY))
        .build();
  }

  @AfterEach
  void close() throws Exception {
    channel.shutdownNow();
    wired.close();
  }

  private WireMessage ask(byte[] frame) throws Exception {
    return WireFrames.decode(
        ClientCalls.blockingUnaryCall(channel, NodeMethods.ASK, CallOptions.DEFAULT, frame));
  }

  private Refusal refused(byte[] frame) throws Exception {
    assertThat(ask(frame)).isInstanceOf(WireMessage.Refused.class);
    return ((WireMessage.Refused) ask(frame)).refusal();
  }

  private static byte[] count() {
    NodeQuestions.Row row = NodeQuestions.TABLE.of(new LedgerRead.Count());
    return WireFrames.encode(new WireMessage.Question(ANY, row.number(), NO_BODY));
  }

  private void stillServes() throws Exception {
    assertThat(ask(count())).isInstanceOf(WireMessage.Answer.class);
  }

  @Test
  void noCutOfAMessageIsTheClientsFault() throws Exception {
    byte[] whole = count();
    for (int length = 0; length < whole.length; length++) {
      assertThat(refused(Arrays.copyOf(whole, length)).code()).isEqualTo("unavailable");
    }
    stillServes();
  }

  @Test
  void noFlippedBitIsTheClientsFault() throws Exception {
    byte[] whole = count();
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] bent = whole.clone();
      bent[bit / 8] ^= (byte) (1 << bit % 8);
      Refusal refusal = refused(bent);
      assertThat(refusal.detail()).as("bit %d", bit).contains("checksum");
      assertThat(refusal.code()).isEqualTo("unavailable");
    }
    stillServes();
  }

  @Test
  void whatIsNoQuestionIsNotTheClientsFault() throws Exception {
    assertThat(refused(WireFrames.encode(new WireMessage.Question(ANY, 12_345, NO_BODY))).detail())
        .contains("question 12345 is not known here");
    assertThat(refused(WireFrames.encode(new WireMessage.Question(ANY, 1, NO_BODY))).code())
        .isEqualTo("unavailable");
    Bytes tooMuch = Bytes.wrap(new byte[33]);
    assertThat(refused(WireFrames.encode(new WireMessage.Question(ANY, 1, tooMuch))).detail())
        .contains("1 bytes behind the end");
    assertThat(refused(WireFrames.encode(new WireMessage.WalkEnd())).code())
        .isEqualTo("unavailable");
    Bytes many = Bytes.wrap(new byte[] {0, 0x7f, -1, -1, -1});
    assertThat(refused(WireFrames.encode(new WireMessage.Question(ANY, 61, many))).code())
        .isEqualTo("unavailable");
    stillServes();
  }

  @Test
  void anOversizeMessageEndsItsCallAlone() throws Exception {
    byte[] large = new byte[NodeMethods.MESSAGE_BYTES_MAX + 1];
    StatusRuntimeException e = catchThrowableOfType(StatusRuntimeException.class, () -> ask(large));
    assertThat(e.getStatus().getCode()).isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.CANCELLED);
    stillServes();
  }

  @Test
  void whatIsMeantForAnotherOwnerIsRefusedTyped() throws Exception {
    Fixtures ledger = founded();
    NodeStub stub = wired.stub();
    assertThat(stub.ledgerCount()).isEqualTo(1);
    assertThat(stub.ownerEpoch()).isEqualTo(7);
    wired.epoch.set(8);
    RequestRejectedException e =
        catchThrowableOfType(RequestRejectedException.class, stub::ledgerCount);
    assertThat(e.code()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(e.retryAfterMs()).isPresent();
    assertThat(wired.refusedEpoch).hasValue(8);
    wired.refusedEpoch.set(0);
    assertThat(
            catchThrowableOfType(
                    RequestRejectedException.class,
                    () -> stub.readLog(ledger.strand(), 0, 1, false, (_, _, _, _, _, _, _) -> true))
                .code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(wired.refusedEpoch).hasValue(8);
    assertThat(code(answer(7, ledger, ledger.single(1)))).isEqualTo("unavailable");
    assertThat(answer(8, ledger, ledger.single(1))).isInstanceOf(WireMessage.Receipts.class);
    wired.believedEpoch.set(8);
    assertThat(stub.ledgerCount()).isEqualTo(1);
    Refusal elsewhere =
        refused(
            WireFrames.encode(new WireMessage.Question(new WireMessage.Meant(4, 0), 4, NO_BODY)));
    assertThat(elsewhere.ownerEpoch()).hasValue(0);
  }

  @Test
  void aBadMessageEndsAStreamOfSubmissionsAlone() throws Exception {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    StreamObserver<byte[]> requests = submissions(heard);
    requests.onNext(new byte[] {1, 2, 3, 4, 5});
    assertThat(heard.poll(20, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
    stillServes();
  }

  private StreamObserver<byte[]> submissions(BlockingQueue<Object> heard) {
    return ClientCalls.asyncBidiStreamingCall(
        channel.newCall(NodeMethods.APPEND, CallOptions.DEFAULT),
        new StreamObserver<>() {
          @Override
          public void onNext(byte[] value) {
            heard.add(value);
          }

          @Override
          public void onError(Throwable cause) {
            heard.add(cause);
          }

          @Override
          public void onCompleted() {
            heard.add("end");
          }
        });
  }

  private Fixtures founded() throws Exception {
    ServiceIdentity service = wired.local.identity();
    Fixtures ledger =
        Fixtures.ledger(
            wired.local.timeMs(),
            service.authority().value(),
            service.noteKey(),
            service.receiptKey());
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    wired.local.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(),
            ledger.genesisAttestation().encode(),
            name,
            WiredNode.SIGNATURES));
    return ledger;
  }

  private WireMessage answer(long epoch, Fixtures ledger, Submission submission) throws Exception {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    StreamObserver<byte[]> requests = submissions(heard);
    requests.onNext(
        WireFrames.encode(
            new WireMessage.Appends(
                new WireMessage.Meant(WiredNode.SHARD, epoch),
                List.of(
                    new WireMessage.Submitted(
                        1,
                        1,
                        false,
                        ledger.strand(),
                        submission.requests(),
                        submission.attestation())),
                0)));
    Object first = heard.poll(20, TimeUnit.SECONDS);
    assertThat(first).isInstanceOf(byte[].class);
    requests.onCompleted();
    assertThat(heard.poll(20, TimeUnit.SECONDS)).as("all is answered").isEqualTo("end");
    return WireFrames.decode((byte[]) first);
  }

  /// What a proxy would have refused, had it looked: the last signature has a bit flipped.
  private static Submission forged(Submission real) {
    return new Submission(real.requests(), bent(real.attestation()));
  }

  private static Bytes bent(Bytes attestation) {
    byte[] bytes = attestation.toArray();
    bytes[bytes.length - 1] ^= 1;
    return Bytes.wrap(bytes);
  }

  private static String code(WireMessage answer) {
    assertThat(answer).isInstanceOf(WireMessage.Failed.class);
    return ((WireMessage.Failed) answer).refusal().orElseThrow().code();
  }

  @Test
  void whatNoMemberSignedIsRefusedHereToo() throws Exception {
    Fixtures ledger = founded();
    assertThat(answer(7, ledger, ledger.single(1))).isInstanceOf(WireMessage.Receipts.class);
    assertThat(code(answer(7, ledger, forged(ledger.single(2))))).isEqualTo("bad_signature");
    assertThat(code(answer(7, ledger, forged(ledger.batch(4, 2))))).isEqualTo("bad_signature");
    SignedRequest real = ledger.request(20);
    SignedRequest bent = new SignedRequest(real.header(), real.salt(), Bytes.utf8("another body"));
    assertThat(
            code(answer(7, ledger, new Submission(List.of(bent), ledger.single(20).attestation()))))
        .isEqualTo("commitment_mismatch");
  }

  /// With the setting off a single append is believed; a batch and what governs are not.
  @Test
  void theSettingIsForSinglesAlone(@TempDir Path other) throws Exception {
    close();
    wired = new WiredNode(other, false);
    channel = channel(wired.cluster.of(WireRole.PROXY.uri(WiredNode.CLUSTER)));
    Fixtures ledger = founded();
    assertThat(answer(7, ledger, forged(ledger.single(2))))
        .isInstanceOf(WireMessage.Receipts.class);
    assertThat(code(answer(7, ledger, forged(ledger.batch(4, 2))))).isEqualTo("bad_signature");
    Submission add = ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey());
    assertThat(code(answer(7, ledger, forged(add)))).isEqualTo("bad_signature");
  }

  @Test
  void aFoundingIsVerifiedAgain() throws Exception {
    NodeStub stub = wired.stub();
    ServiceIdentity service = stub.identity();
    Fixtures ledger =
        Fixtures.ledger(
            stub.timeMs(), service.authority().value(), service.noteKey(), service.receiptKey());
    var unsigned =
        new Founding(
            ledger.params(),
            ledger.params().encode(),
            bent(ledger.genesisAttestation().encode()),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME));
    RequestRejectedException e =
        catchThrowableOfType(RequestRejectedException.class, () -> stub.createLedger(unsigned));
    assertThat(e.code()).isEqualTo(RejectionCode.BAD_SIGNATURE);
  }

  @Test
  void aServerThatIsGoneIsUnavailableAndAppendsAreUnknown() throws Exception {
    Fixtures ledger = founded();
    NodeStub stub = wired.stub();
    var verified =
        new SubmissionVerifier(WiredNode.SIGNATURES, Set.of())
            .verify(
                ledger.strand(),
                ledger.single(1).requests(),
                ledger.single(1).attestation(),
                ledger.keys());
    wired.listener.close();
    RequestRejectedException e =
        catchThrowableOfType(RequestRejectedException.class, stub::ledgerCount);
    assertThat(e.code()).isEqualTo(RejectionCode.UNAVAILABLE);
    AppendTicket ticket = stub.append(verified);
    assertThatThrownBy(() -> ticket.receipted().get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("outcome is unknown");
    Waiting.until("it is known to be silent", () -> !stub.health().appendable());
  }

  @Test
  void onlyItsOwnRolesComeIn() throws Exception {
    for (String uri :
        List.of(
            WireRole.SERVER.uri(WiredNode.CLUSTER),
            WireRole.PROXY.uri("another"),
            "https://example.com")) {
      WireTls tls = wired.cluster.of(uri);
      assertThatThrownBy(() -> wired.stub(tls, WireRole.PROXY))
          .as("it does not start with %s", uri)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is refused");
    }
    // Whoever starts all the same is refused at the other end.
    WireTls server = wired.cluster.of(WireRole.SERVER.uri(WiredNode.CLUSTER));
    assertThatThrownBy(() -> wired.stub(server, WireRole.SERVER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no server at");
    assertThat(
            wired
                .stub(wired.cluster.of(WireRole.MASTER.uri(WiredNode.CLUSTER)), WireRole.MASTER)
                .ledgerCount())
        .isZero();
  }

  /// Neither is asked for or signed by a member.
  @Test
  void aProxyMakesNoTimeJournalAndNoLedgerReadOnly() throws Exception {
    Fixtures ledger = founded();
    LedgerId id = ledger.strand().ledger();
    TimeAnchor anchor =
        new TimeAnchor(
            ledger.strand(),
            wired.local.ask(new TimeRead.Newest(ledger.strand())).head(),
            new TimeProof.Token(Bytes.utf8("junk")),
            wired.local.timeMs());
    NodeStub proxy = wired.stub();
    assertThat(refusal(() -> proxy.change(new NodeChange.AppendTime(anchor))))
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    assertThat(refusal(() -> proxy.change(new NodeChange.MakeReadOnly(id, 99, "witness.example"))))
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    assertThat(wired.local.newestSize(ledger.strand())).isEqualTo(2);
    assertThat(answer(7, ledger, ledger.single(1))).isInstanceOf(WireMessage.Receipts.class);
    NodeStub master =
        wired.stub(wired.cluster.of(WireRole.MASTER.uri(WiredNode.CLUSTER)), WireRole.MASTER);
    assertThat(master.change(new NodeChange.MakeReadOnly(id, 99, "witness.example")))
        .isEqualTo(Done.DONE);
    assertThat(code(answer(7, ledger, ledger.single(2)))).isEqualTo("read_only");
  }

  private static RejectionCode refusal(ThrowingCallable call) {
    return catchThrowableOfType(RequestRejectedException.class, call).code();
  }

  @Test
  void aServersCertificateMustBeAServers(@TempDir Path elsewhere) throws Exception {
    var strange = new TestCluster(elsewhere, WiredNode.CLUSTER);
    WireTls ofAnotherAuthority = strange.of(WireRole.PROXY.uri(WiredNode.CLUSTER));
    assertThatThrownBy(() -> wired.stub(ofAnotherAuthority, WireRole.PROXY))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no server at");
    WireTls proxy = wired.cluster.of(WireRole.PROXY.uri(WiredNode.CLUSTER));
    assertThatThrownBy(
            () -> NodeListener.start(WiredNode.loopback(0), Optional.of(proxy), service()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("role/proxy")
        .hasMessageContaining("role/server");
  }

  private NodeService service() {
    return new NodeService(
        _ -> Optional.empty(),
        WiredNode.SIGNATURES,
        Set.of(),
        true,
        WiredNode::memberOf,
        WiredNode.SETTINGS);
  }

  @Test
  void nothingCrossesANetworkInTheClear() {
    InetSocketAddress any = new InetSocketAddress("0.0.0.0", 0);
    assertThatThrownBy(() -> NodeListener.start(any, Optional.empty(), service()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no TLS");
    NodeStub.Target far =
        new NodeStub.Target(
            new InetSocketAddress("192.0.2.1", 1), Optional.empty(), WireRole.PROXY);
    assertThatThrownBy(() ->
            NodeStub.connect(far, WiredNode.SETTINGS, new NodeStub.Shard(0, () -> 0, _ -> {})))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no TLS");
  }
}
