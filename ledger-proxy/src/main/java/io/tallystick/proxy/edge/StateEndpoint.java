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
import io.tallystick.node.StateQuery;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadableState;
import java.util.List;
import java.util.Optional;

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
          long height = FromProto.height(request.hasAsOfHeight(), request.getAsOfHeight());
          Bytes key = FromProto.bytes(request.getKey());
          return ToProto.state(state.key(key, height, !request.getWithoutValue()));
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
          return ToProto.statePage(state.page(query(request)));
        });
  }

  private static StateQuery query(ListStateRequest request) throws RequestRejectedException {
    return new StateQuery(
        FromProto.bytes(request.getFrom()),
        request.hasTo() ? Optional.of(FromProto.bytes(request.getTo())) : Optional.empty(),
        PageLimit.of(Integer.toUnsignedLong(request.getLimit())),
        FromProto.height(request.hasAsOfHeight(), request.getAsOfHeight()),
        !request.getWithoutValues());
  }

  @Override
  public void getStateHistory(
      GetStateHistoryRequest request, StreamObserver<StateHistory> response) {
    calls.answer(
        response,
        () -> {
          ReadableState state = state(request.getLedgerId(), request.getStrand());
          return ToProto.history(
              state.history(
                  FromProto.bytes(request.getKey()),
                  FromProto.height(request.hasAsOfHeight(), request.getAsOfHeight()),
                  PageLimit.of(Integer.toUnsignedLong(request.getLimit())),
                  !request.getWithoutValues()));
        });
  }

  private ReadableState state(ByteString ledgerId, int strand) throws RequestRejectedException {
    return new ReadableState(
        access, BearerInterceptor.current(), FromProto.strand(ledgerId, strand));
  }
}
