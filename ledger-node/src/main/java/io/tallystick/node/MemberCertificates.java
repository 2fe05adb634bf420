package io.tallystick.node;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;

/// The chains that members show for their keys, as a node keeps them beside its logs. A chain waits
/// for a grant that names it, and is kept for good once one does, until it is erased. Thread-safe;
/// every method may block on a disk.
///
/// Refusals are {@link RequestRejectedException}: also `UNAVAILABLE`, `STORAGE_FULL` and `DAMAGED`
/// when the store fails.
public interface MemberCertificates {
  /// Chains of one ledger that no grant has named yet.
  int WAITING_MAX = 1_000;

  /// As long as the longest a grant may be on its way, and a day.
  long WAITING_MS = 31L * 24 * 60 * 60 * 1000;

  /// Keeps a chain that holds now, durably; the same again waits anew.
  ///
  /// @return until when it waits for a grant; {@link Member#NEVER} if one has named it
  /// @throws RequestRejectedException `CERTIFICATE_INVALID`; `RATE_LIMITED` if too many wait
  long show(LedgerId ledger, CertificateChain chain) throws RequestRejectedException;

  /// A chain that a sealed grant names; empty if there is none or it is erased.
  Optional<CertificateChain> find(LedgerId ledger, Digest certDigest)
      throws RequestRejectedException;

  /// Forgets a chain, whether a grant names it or not.
  ///
  /// @return whether it was kept
  /// @throws RequestRejectedException `UNAVAILABLE` also while a backup is made
  boolean erase(LedgerId ledger, Digest certDigest) throws RequestRejectedException;

  /// Forgets the chains of all ledgers whose wait ended a day ago or longer.
  void dropExpired() throws RequestRejectedException;
}
