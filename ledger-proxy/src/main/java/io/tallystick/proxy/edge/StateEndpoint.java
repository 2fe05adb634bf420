package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.GetStateHistoryRequest;
import io.tallystick.api.v1.GetStateOfKeysRequest;
import io.tallystick.api.v1.GetStateRequest;
import io.tallystick.api.v1.ListStateRequest;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StateOfKeys;
import io.tallystick.api.v1.StatePage;
import io.tallystick.api.v1.StateServiceGrpc;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.StateQuery;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.BlockAtTime;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadableState;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A ledger's state on the wire: keys, ranges, histories.
final class StateEndpoint extends StateServiceGrpc.StateServiceImplBase {
  private final ReadAccess access;
  private final Calls calls;

  StateEndpoint(ReadAccess access, Calls calls) {
    this.access = access;
    this.calls = calls;
  }

  @Override
  public void getState(GetStateRequest request, StreamObserver<StateOfKey> response) {
    calls.answer(
        response,
        () -> {
          ReadableState state = state(request.getLedgerId(), request.getStrand());
          Bytes key = FromProto.bytes(request.getKey());
          boolean withValue = !request.getWithoutValue();
          OptionalLong time =
              FromProto.atTime(
                  request.hasAtTimeMs(), request.getAtTimeMs(), request.hasAsOfHeight());
          if (time.isEmpty()) {
            long height = FromProto.height(request.hasAsOfHeight(), request.getAsOfHeight());
            return ToProto.state(state.key(key, height, withValue));
          }
          BlockAtTime at = state.block(time.getAsLong());
          StateOfKey.Builder answer =
              ToProto.state(state.key(key, at.block().height(), withValue)).toBuilder();
          at.next().ifPresent(next -> answer.setNextBlock(ToProto.block(next)));
          return answer.build();
        });
  }

  @Override
  public void getStateOfKeys(GetStateOfKeysRequest request, StreamObserver<StateOfKeys> response) {
    calls.answer(
        response,
        () -> {
          ReadableState state = state(request.getLedgerId(), request.getStrand());
          long height = FromProto.height(request.hasAsOfHeight(), request.getAsOfHeight());
          List<Bytes> keys = request.getKeysList().stream().map(FromProto::bytes).toList();
          return ToProto.states(state.keys(keys, height, !request.getWithoutValues()));
        });
  }

  @Override
  public void listState(ListStateRequest request, StreamObserver<StatePage> response) {
    calls.answer(
        response,
        () -> {
          ReadableState state = state(request.getLedgerId(), request.getStrand());
          OptionalLong time =
              FromProto.atTime(
                  request.hasAtTimeMs(), request.getAtTimeMs(), request.hasAsOfHeight());
          if (time.isEmpty()) {
            long height = FromProto.height(request.hasAsOfHeight(), request.getAsOfHeight());
            return ToProto.statePage(state.page(query(request, height)));
          }
          BlockAtTime at = state.block(time.getAsLong());
          StatePage.Builder answer =
              ToProto.statePage(state.page(query(request, at.block().height()))).toBuilder();
          at.next().ifPresent(next -> answer.setNextBlock(ToProto.block(next)));
          return answer.build();
        });
  }

  private static StateQuery query(ListStateRequest request, long height)
      throws RequestRejectedException {
    return new StateQuery(
        FromProto.bytes(request.getFrom()),
        request.hasTo() ? Optional.of(FromProto.bytes(request.getTo())) : Optional.empty(),
        PageLimit.of(Integer.toUnsignedLong(request.getLimit())),
        height,
        !request.getWithoutValues());
  }

  @Override
  public void getStateHistory(
      GetStateHistoryRequest request, StreamObserver<StateHistory> response) {
    calls.answer(
        response,
        () -> {
          ReadableState state = state(request.getLedgerId(), request.getStrand());
          return ToProto.history(state.history(query(request)));
        });
  }

  private static HistoryQuery query(GetStateHistoryRequest request)
      throws RequestRejectedException {
    return new HistoryQuery(
        FromProto.bytes(request.getKey()),
        FromProto.size("size", request.getSize()),
        FromProto.jsn(request.hasBeforeJsn(), "before_jsn", request.getBeforeJsn()),
        FromProto.jsn(request.hasNewerJsn(), "newer_jsn", request.getNewerJsn()),
        PageLimit.of(Integer.toUnsignedLong(request.getLimit())),
        !request.getWithoutValues(),
        true);
  }

  private ReadableState state(ByteString ledgerId, int strand) throws RequestRejectedException {
    return new ReadableState(
        access, BearerInterceptor.current(), FromProto.strand(ledgerId, strand));
  }
}
