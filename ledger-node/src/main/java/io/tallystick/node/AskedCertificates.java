package io.tallystick.node;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;

/// Certificates of members as questions to a node.
record AskedCertificates(NodeDoor node) implements MemberCertificates {
  @Override
  public long show(LedgerId ledger, CertificateChain chain) throws RequestRejectedException {
    return node.change(new NodeChange.ShowCertificates(ledger, chain));
  }

  @Override
  public Optional<CertificateChain> find(LedgerId ledger, Digest certDigest)
      throws RequestRejectedException {
    return node.ask(new KeptRead.Certificates(ledger, certDigest));
  }

  @Override
  public boolean erase(LedgerId ledger, Digest certDigest) throws RequestRejectedException {
    return node.change(new NodeChange.EraseCertificates(ledger, certDigest, Optional.empty()));
  }

  @Override
  public void dropExpired() throws RequestRejectedException {
    Done _ = node.change(new NodeChange.DropExpiredCertificates());
  }
}
