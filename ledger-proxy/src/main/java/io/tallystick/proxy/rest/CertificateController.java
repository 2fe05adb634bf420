package io.tallystick.proxy.rest;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.ReadableCertificates;
import java.nio.charset.StandardCharsets;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/// Certificates of members over HTTP, in PEM.
@RestController
final class CertificateController {
  private static final String PEM = "application/pem-certificate-chain";
  private static final String CERTIFICATES = Paths.LEDGER + "/certificates";
  private static final String CERTIFICATE = CERTIFICATES + "/{certDigest}";

  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final PlatformThreads threads;

  CertificateController(LedgerRegistry registry, ReadAccess access, PlatformThreads threads) {
    this.registry = registry;
    this.access = access;
    this.threads = threads;
  }

  @PostMapping(path = CERTIFICATES, consumes = PEM, produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Certificates show(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    return threads.call(() -> Json.Certificates.of(of(bearer).show(id, chain(body))));
  }

  private static CertificateChain chain(byte[] pem) throws RequestRejectedException {
    try {
      return CertificateChain.ofPem(Bytes.wrap(pem));
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.CERTIFICATE_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  @GetMapping(path = CERTIFICATE, produces = PEM)
  ResponseEntity<byte[]> named(
      @PathVariable("ledger") String ledger,
      @PathVariable("certDigest") String certDigest,
      Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    Digest digest = JsonInput.digest("certDigest", certDigest);
    return threads.call(() -> pem(of(bearer).named(id, digest)));
  }

  @GetMapping(path = Paths.LEDGER + "/members/{kid}/certificate", produces = PEM)
  ResponseEntity<byte[]> ofMember(
      @PathVariable("ledger") String ledger, @PathVariable("kid") String kidText, Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    Digest kid = JsonInput.digest("kid", kidText);
    return threads.call(() -> pem(of(bearer).ofMember(id, kid)));
  }

  /// Not cached: what is erased must not come from elsewhere.
  private static ResponseEntity<byte[]> pem(CertificateChain chain) {
    return ResponseEntity.ok()
        .contentType(MediaType.parseMediaType(PEM))
        .cacheControl(CacheControl.noStore())
        .body(chain.pem().getBytes(StandardCharsets.US_ASCII));
  }

  @DeleteMapping(path = CERTIFICATE, produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Erased erase(
      @PathVariable("ledger") String ledger,
      @PathVariable("certDigest") String certDigest,
      Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    Digest digest = JsonInput.digest("certDigest", certDigest);
    return threads.call(() -> {
      of(bearer).erase(id, digest);
      return new Json.Erased(digest.hex());
    });
  }

  private ReadableCertificates of(Bearer bearer) {
    return new ReadableCertificates(registry, access, bearer);
  }
}
