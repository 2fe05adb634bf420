package io.tallystick.audit.options;

import io.tallystick.model.Bytes;
import java.util.Optional;

/// The options of an audit for evidence from outside the log: what is given, and how it is judged.
///
/// @param time how time journals are judged
/// @param submitters whose heads the ledger holds: it is audited as a T-Ledger then
/// @param anchor a trusted anchor, as its signer encoded it: below its size signatures and bodies
///   of ordinary journals are taken on its signer's word, who must be a member at the log's end
/// @param gossip what others say of the log, and who must
/// @param certificates how the certificates of grants are judged
public record TrustOptions(
    TimeOptions time,
    Optional<Submitters> submitters,
    Optional<Bytes> anchor,
    GossipOptions gossip,
    CertificateOptions certificates) {
  /// Nothing is taken from anybody.
  public static final TrustOptions NONE =
      new TrustOptions(
          TimeOptions.NONE,
          Optional.empty(),
          Optional.empty(),
          GossipOptions.NONE,
          CertificateOptions.NONE);

  TrustOptions withTime(TimeOptions newTime) {
    return new TrustOptions(newTime, submitters, anchor, gossip, certificates);
  }

  TrustOptions withSubmitters(Optional<Submitters> newSubmitters) {
    return new TrustOptions(time, newSubmitters, anchor, gossip, certificates);
  }

  TrustOptions withAnchor(Optional<Bytes> newAnchor) {
    return new TrustOptions(time, submitters, newAnchor, gossip, certificates);
  }

  TrustOptions withGossip(GossipOptions newGossip) {
    return new TrustOptions(time, submitters, anchor, newGossip, certificates);
  }

  TrustOptions withCertificates(CertificateOptions newCertificates) {
    return new TrustOptions(time, submitters, anchor, gossip, newCertificates);
  }
}
