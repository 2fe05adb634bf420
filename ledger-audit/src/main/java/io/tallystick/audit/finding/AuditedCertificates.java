package io.tallystick.audit.finding;

import io.tallystick.model.Digest;
import java.util.List;

/// The certificates that the grants of an audited log name; of leaves that an earlier run audited,
/// none.
///
/// @param good led to a trusted authority at the grant's time
/// @param wrong a fault each
/// @param missing erased or not served
/// @param unjudged all of them, if no authority was given
/// @param grants the first 1,000, ascending by jsn
public record AuditedCertificates(
    long good, long wrong, long missing, long unjudged, List<Certified> grants) {
  public static final AuditedCertificates NONE = new AuditedCertificates(0, 0, 0, 0, List.of());

  public AuditedCertificates {
    grants = List.copyOf(grants);
  }

  /// The verdict on the certificates that one grant names.
  public enum Verdict {
    GOOD,
    WRONG,
    MISSING,
    UNJUDGED
  }

  /// @param jsn of the grant
  /// @param kid of the granted key
  /// @param subject the name in its certificate; empty unless the verdict is good
  public record Certified(
      long jsn, Digest kid, Digest certDigest, String subject, Verdict verdict) {}

  /// How many grants name certificates.
  public long count() {
    return good + wrong + missing + unjudged;
  }
}
