package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetTLedgerRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceBlockingStub;
import io.tallystick.api.v1.SubmitHeadRequest;
import io.tallystick.api.v1.TLedger;
import io.tallystick.api.v1.TLedgerServiceGrpc;
import io.tallystick.api.v1.TLedgerServiceGrpc.TLedgerServiceBlockingStub;
import io.tallystick.master.tledger.SubmittedHead;
import io.tallystick.master.tledger.TLedgerLink;
import io.tallystick.master.tledger.TakenHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.anchor.Submitting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/// A T-Ledger of another service, over gRPC: TLS by the machine's certificates, but in plain text
/// on a loopback address.
public final class RemoteTLedger implements TLedgerLink {
  private static final long CALL_SECONDS_MAX = 10;

  private final LedgerId id;
  private final String invitation;
  private final ManagedChannel channel;
  private final TLedgerServiceBlockingStub stub;
  private final JournalServiceBlockingStub journals;

  /// @param invitation of the T-Ledger's operator; empty if there is none
  public RemoteTLedger(Submitting.Target at, String invitation) {
    this.id = at.id();
    this.invitation = invitation;
    NettyChannelBuilder builder = NettyChannelBuilder.forAddress(at.host(), at.port());
    channel = (at.plain() ? builder.usePlaintext() : builder.useTransportSecurity()).build();
    stub = TLedgerServiceGrpc.newBlockingStub(channel);
    journals = JournalServiceGrpc.newBlockingStub(channel);
  }

  private TLedgerServiceBlockingStub stub() {
    return stub.withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS);
  }

  @Override
  public Introduction introduce(LedgerId submitter) throws IOException {
    try {
      TLedger answer =
          stub()
              .getTLedger(
                  GetTLedgerRequest.newBuilder()
                      .setSubmitter(bytes(submitter.digest().toBytes()))
                      .build());
      return new Introduction(
          bytes(answer.getGenesisParams()),
          bytes(answer.getKeyChain()),
          answer.hasLastSize() ? OptionalLong.of(answer.getLastSize()) : OptionalLong.empty());
    } catch (StatusRuntimeException e) {
      throw new IOException("the T-Ledger: " + e.getMessage(), e);
    }
  }

  @Override
  public TakenHead submit(SubmittedHead head) throws IOException {
    try {
      io.tallystick.api.v1.TakenHead taken =
          stub()
              .submitHead(
                  SubmitHeadRequest.newBuilder()
                      .setGenesisParams(bytes(head.genesisParams()))
                      .setKeyChain(bytes(head.keyChain()))
                      .setEntry(bytes(head.entry()))
                      .setInvitation(invitation)
                      .build());
      return new TakenHead(
          id, bytes(taken.getReceiptFile()), bytes(taken.getSalt()), bytes(taken.getBody()));
    } catch (StatusRuntimeException e) {
      throw new IOException("the T-Ledger: " + e.getMessage(), e);
    }
  }

  @Override
  public Optional<ConsistencyProof> consistency(long fromSize, long toSize) throws IOException {
    try {
      io.tallystick.api.v1.ConsistencyProof answer =
          journals
              .withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
              .getConsistencyProof(
                  GetConsistencyProofRequest.newBuilder()
                      .setLedgerId(bytes(id.digest().toBytes()))
                      .setFromSize(fromSize)
                      .setToSize(toSize)
                      .build());
      List<Digest> path = new ArrayList<>();
      for (ByteString hash : answer.getPathList()) {
        if (hash.size() != Digest.BYTES) {
          return Optional.empty();
        }
        path.add(Digest.of(bytes(hash)));
      }
      return Optional.of(new ConsistencyProof(answer.getFromSize(), answer.getToSize(), path));
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.OUT_OF_RANGE) {
        return Optional.empty(); // it has no such size any more
      }
      throw new IOException("the T-Ledger: " + e.getMessage(), e);
    }
  }

  private static ByteString bytes(Bytes value) {
    return ByteString.copyFrom(value.toArray());
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
