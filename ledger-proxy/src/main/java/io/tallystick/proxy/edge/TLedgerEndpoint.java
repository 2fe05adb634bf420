package io.tallystick.proxy.edge;

import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.GetTLedgerRequest;
import io.tallystick.api.v1.SubmitHeadRequest;
import io.tallystick.api.v1.TLedger;
import io.tallystick.api.v1.TLedgerServiceGrpc;
import io.tallystick.api.v1.TakenHead;
import io.tallystick.master.tledger.SubmittedHead;
import io.tallystick.master.tledger.SubmitterRule;
import io.tallystick.master.tledger.TLedgerDoor;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// A T-Ledger on the wire. Whoever brings the head of a ledger that may submit: its service signed
/// it.
final class TLedgerEndpoint extends TLedgerServiceGrpc.TLedgerServiceImplBase {
  private final Supplier<Optional<TLedgerDoor>> tLedger;
  private final Calls calls;

  /// @param tLedger empty while this service keeps no T-Ledger
  TLedgerEndpoint(Supplier<Optional<TLedgerDoor>> tLedger, Calls calls) {
    this.tLedger = tLedger;
    this.calls = calls;
  }

  private TLedgerDoor door() throws RequestRejectedException {
    return tLedger
        .get()
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.UNKNOWN_LEDGER, "this service keeps no T-Ledger"));
  }

  @Override
  public void getTLedger(GetTLedgerRequest request, StreamObserver<TLedger> response) {
    calls.answer(
        response,
        () -> {
          TLedgerDoor kept = door();
          LedgerId submitter = FromProto.ledgerId("submitter", request.getSubmitter());
          OptionalLong last = kept.lastSize(submitter);
          TLedger.Builder answer =
              TLedger.newBuilder()
                  .setGenesisParams(ToProto.bytes(kept.genesisParams()))
                  .setKeyChain(ToProto.bytes(kept.keyChain().encode()));
          last.ifPresent(answer::setLastSize);
          return answer.build();
        });
  }

  @Override
  public void submitHead(SubmitHeadRequest request, StreamObserver<TakenHead> response) {
    calls.answerLater(
        response,
        () ->
            door()
                .take(
                    new SubmittedHead(
                        FromProto.bytes(request.getGenesisParams()),
                        FromProto.bytes(request.getKeyChain()),
                        FromProto.bytes(request.getEntry())),
                    new SubmitterRule.Caller(Callers.address(), request.getInvitation())),
        taken ->
            TakenHead.newBuilder()
                .setReceiptFile(ToProto.bytes(taken.receiptFile()))
                .setSalt(ToProto.bytes(taken.salt()))
                .setBody(ToProto.bytes(taken.body()))
                .build());
  }
}
