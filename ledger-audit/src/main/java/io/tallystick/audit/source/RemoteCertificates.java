package io.tallystick.audit.source;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.v1.GetCertificatesRequest;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Certificate chains that a service keeps beside a ledger.
///
/// @param channel stays the caller's
public record RemoteCertificates(Channel channel, LedgerId ledger) implements CertificateSource {
  private static final long WAIT_SECONDS = 30;

  @Override
  public Optional<CertificateChain> chain(Digest certDigest)
      throws IOException, MalformedException {
    GetCertificatesRequest request =
        GetCertificatesRequest.newBuilder()
            .setLedgerId(ByteString.copyFrom(ledger.digest().toArray()))
            .setCertDigest(ByteString.copyFrom(certDigest.toArray()))
            .build();
    try {
      ByteString chain =
          LedgerServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(WAIT_SECONDS, TimeUnit.SECONDS)
              .getCertificates(request)
              .getChain();
      return Optional.of(CertificateChain.decode(Bytes.wrap(chain.toByteArray())));
    } catch (StatusRuntimeException e) {
      Status.Code code = e.getStatus().getCode();
      if (code == Status.Code.NOT_FOUND || code == Status.Code.UNIMPLEMENTED) {
        return Optional.empty();
      }
      throw new IOException("GetCertificates failed: " + code, e);
    }
  }
}
