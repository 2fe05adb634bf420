package io.tallystick.wire;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/// Tells the handler of a call the caller's role, as its certificate says. In the clear, which is
/// for this machine's own processes, nobody has one, and whoever has none may do everything.
/// Thread-safe.
final class CallerRoles implements ServerInterceptor {
  private static final Context.Key<WireRole> CALLER = Context.key("tallystick-caller");

  /// Of the call that this thread handles.
  static Optional<WireRole> caller() {
    return Optional.ofNullable(CALLER.get());
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    if (session == null) {
      return next.startCall(call, headers);
    }
    try {
      if (!(session.getPeerCertificates()[0] instanceof X509Certificate certificate)) {
        throw new CertificateParsingException("no X.509 certificate");
      }
      Context with = Context.current().withValue(CALLER, WireRole.of(certificate));
      return Contexts.interceptCall(with, call, headers, next);
    } catch (SSLPeerUnverifiedException | CertificateParsingException e) {
      call.close(Status.UNAUTHENTICATED.withDescription(e.getMessage()), new Metadata());
      return new ServerCall.Listener<>() {};
    }
  }
}
