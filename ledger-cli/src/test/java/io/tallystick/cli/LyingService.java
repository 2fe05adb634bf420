package io.tallystick.cli;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.ClueServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ProposalServiceGrpc;
import io.tallystick.api.v1.RemovalServiceGrpc;
import io.tallystick.api.v1.StateServiceGrpc;
import io.tallystick.api.v1.TLedgerServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A service that passes every call on to a real one and changes the answers as a test says, or
/// refuses all. What it changes is signed no more, as far as it was: the command line has to see.
final class LyingService implements AutoCloseable {
  private static final Map<String, MethodDescriptor<?, ?>> METHODS =
      Stream.of(
              ClueServiceGrpc.getServiceDescriptor(),
              JournalServiceGrpc.getServiceDescriptor(),
              LedgerServiceGrpc.getServiceDescriptor(),
              ProposalServiceGrpc.getServiceDescriptor(),
              RemovalServiceGrpc.getServiceDescriptor(),
              StateServiceGrpc.getServiceDescriptor(),
              TLedgerServiceGrpc.getServiceDescriptor())
          .flatMap(service -> service.getMethods().stream())
          .collect(Collectors.toMap(MethodDescriptor::getFullMethodName, Function.identity()));

  private final ManagedChannel behind;
  private final Server server;

  /// What becomes of each answer.
  volatile UnaryOperator<Message> lie = UnaryOperator.identity();

  /// With what all calls are refused; null: they are passed on.
  volatile @Nullable Problem refusal;

  /// @param target of the real service
  LyingService(String target) throws IOException {
    behind = Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .fallbackHandlerRegistry(new Registry())
            .build()
            .start();
  }

  String target() {
    return String.format(Locale.ROOT, "127.0.0.1:%d", server.getPort());
  }

  /// Changes every answer of one type.
  <T extends Message> void lieIn(Class<T> type, UnaryOperator<T> change) {
    lie = answer -> type.isInstance(answer) ? change.apply(type.cast(answer)) : answer;
  }

  private final class Registry extends HandlerRegistry {
    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
        String name, @Nullable String authority) {
      MethodDescriptor<?, ?> method = METHODS.get(name);
      return method == null ? null : passing(method);
    }
  }

  private <Q, R> ServerMethodDefinition<Q, R> passing(MethodDescriptor<Q, R> method) {
    ServerCallHandler<Q, R> handler = (call, headers) -> pass(method, call, headers);
    return ServerMethodDefinition.create(method, handler);
  }

  private <Q, R> ServerCall.Listener<Q> pass(
      MethodDescriptor<Q, R> method, ServerCall<Q, R> call, Metadata headers) {
    Problem refused = refusal;
    if (refused != null) {
      Metadata trailers = new Metadata();
      trailers.put(ProblemTrailer.KEY, refused);
      call.close(Status.FAILED_PRECONDITION.withDescription(refused.getDetail()), trailers);
      return new ServerCall.Listener<>() {};
    }
    ClientCall<Q, R> real = behind.newCall(method, CallOptions.DEFAULT);
    real.start(new Answers<>(call, real), headers);
    real.request(1);
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(Q request) {
        real.sendMessage(request);
        call.request(1);
      }

      @Override
      public void onHalfClose() {
        real.halfClose();
      }

      @Override
      public void onCancel() {
        real.cancel("cancelled in front", null);
      }
    };
  }

  private final class Answers<Q, R> extends ClientCall.Listener<R> {
    private final ServerCall<Q, R> call;
    private final ClientCall<Q, R> real;

    Answers(ServerCall<Q, R> call, ClientCall<Q, R> real) {
      this.call = call;
      this.real = real;
    }

    @Override
    public void onHeaders(Metadata headers) {
      call.sendHeaders(headers);
    }

    @Override
    @SuppressWarnings("unchecked") // a lie has the type of the truth
    public void onMessage(R answer) {
      call.sendMessage((R) lie.apply((Message) answer));
      real.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      call.close(status, trailers);
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    behind.shutdownNow();
  }
}
