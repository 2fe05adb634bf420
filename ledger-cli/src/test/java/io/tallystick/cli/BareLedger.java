package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ServiceDescription;
import io.tallystick.api.v1.SignedRequest;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ReadTokens;
import io.tallystick.client.wire.BearerToken;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.LedgerId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.Assertions;

/// A service with one ledger of Alice and Bob, and bare gRPC to it.
class BareLedger implements AutoCloseable {
  final ManagedChannel channel;
  final LedgerServiceGrpc.LedgerServiceBlockingStub ledgers;
  final JournalServiceGrpc.JournalServiceBlockingStub journals;
  final Fixtures founded;
  private final AtomicLong lastId = new AtomicLong();

  /// Founds the ledger.
  ///
  /// @param target of a service that does not have it yet
  BareLedger(String target) throws Exception {
    this(target, GenesisParams.DEFAULT_WINDOW_MS);
  }

  /// @param windowMs how long its requests may be on their way
  BareLedger(String target, long windowMs) throws Exception {
    channel = channel(target);
    ledgers = LedgerServiceGrpc.newBlockingStub(channel);
    journals = JournalServiceGrpc.newBlockingStub(channel);
    ServiceDescription description =
        ledgers.getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance());
    founded =
        Fixtures.ledger(
                description.getTimeMs(),
                description.getAuthority(),
                PublicKey.ofSpki(WireBytes.bytes(description.getNoteKeySpki())),
                PublicKey.ofSpki(WireBytes.bytes(description.getReceiptKeySpki())))
            .withWindow(windowMs);
    assertThat(ledgers.createLedger(createRequest(founded)).getExisted()).isFalse();
  }

  private BareLedger(String target, Fixtures founded) {
    this.channel = channel(target);
    this.ledgers = LedgerServiceGrpc.newBlockingStub(channel);
    this.journals = JournalServiceGrpc.newBlockingStub(channel);
    this.founded = founded;
  }

  /// Reads as Alice once there is a ledger.
  private ManagedChannel channel(String target) {
    ReadTokens tokens = new ReadTokens(ClientKey.of(Fixtures.ALICE));
    return Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
        .intercept(new BearerToken(() -> founded == null ? null : tokens.of(id())))
        .build();
  }

  /// The same ledger, of a service that listens somewhere else now.
  BareLedger at(String target) {
    return new BareLedger(target, founded);
  }

  /// Makes requests for the ledger that are dated now.
  Fixtures now() {
    return new Fixtures(founded.params(), System.currentTimeMillis());
  }

  /// A request dated now, to be signed, that stays valid for the ledger's whole window.
  RequestDraft lasting(int number) {
    Fixtures now = now();
    return now.draft(number).withExpiry(now.timeMs() + founded.params().maxWindowMs());
  }

  LedgerId id() {
    return founded.params().ledgerId();
  }

  ByteString wireId() {
    return WireBytes.toWire(id().digest());
  }

  static CreateLedgerRequest createRequest(Fixtures ledger) {
    return CreateLedgerRequest.newBuilder()
        .setGenesisParams(WireBytes.toWire(ledger.params().encode()))
        .setAttestation(WireBytes.toWire(ledger.genesisAttestation().encode()))
        .setNameSalt(WireBytes.toWire(Fixtures.nameSalt()))
        .setName(Fixtures.LEDGER_NAME)
        .build();
  }

  AppendRequest.Builder request(Submission submission) {
    AppendRequest.Builder request =
        AppendRequest.newBuilder()
            .setId(lastId.incrementAndGet())
            .setLedgerId(wireId())
            .setAttestation(WireBytes.toWire(submission.attestation()));
    for (io.tallystick.journal.SignedRequest one : submission.requests()) {
      request.addRequests(
          SignedRequest.newBuilder()
              .setHeader(WireBytes.toWire(one.header()))
              .setSalt(WireBytes.toWire(one.salt()))
              .setBody(WireBytes.toWire(one.body())));
    }
    return request;
  }

  /// Sends it on a stream of its own.
  AppendResponse append(AppendRequest request) throws Exception {
    try (AppendStream stream = new AppendStream(channel)) {
      stream.send(request);
      AppendResponse answer = stream.nextAnswer();
      assertThat(answer.getId()).isEqualTo(request.getId());
      return answer;
    }
  }

  AppendResponse append(Submission submission) throws Exception {
    return append(request(submission).build());
  }

  /// How many leaves the newest head covers.
  long size() {
    return ledgers.getLedger(GetLedgerRequest.newBuilder().setLedgerId(wireId()).build()).getSize();
  }

  /// What a call that answers once is refused with.
  static Problem problem(Runnable call) {
    StatusRuntimeException failure =
        Assertions.catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(failure).as("refusal").isNotNull();
    Metadata trailers = Objects.requireNonNull(failure.getTrailers());
    return Objects.requireNonNull(trailers.get(ProblemTrailer.KEY), failure.toString());
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
