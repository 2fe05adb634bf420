package io.tallystick.proxy.trust;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptAnchors;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import io.tallystick.proxy.execute.MemberKeys;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Takes the anchors that members sign and gives the nearest one to a size. Whoever signs one needs
/// no token; every current member may, whatever its role, since an anchor writes nothing into the
/// log and to verify is what a verifyOnly member is there for. Thread-safe. Source: LedgerDB
/// section 5.3, `docs/formats/trust.md`.
public final class TrustedAnchors {
  private final LedgerRegistry registry;
  private final LedgerNode node;
  private final ReadAccess access;
  private final Signatures signatures;

  public TrustedAnchors(
      LedgerRegistry registry, LedgerNode node, ReadAccess access, Signatures signatures) {
    this.registry = registry;
    this.node = node;
    this.access = access;
    this.signatures = signatures;
  }

  /// Keeps an anchor, durably. One that is kept already costs its signer no read: whoever reads it
  /// can send it again.
  ///
  /// @throws RequestRejectedException `MALFORMED`, `WRONG_TYPE`, `WRONG_LEDGER`, `BAD_SIGNATURE`,
  ///   `UNKNOWN_KEY`, `REVOKED_KEY`, `RATE_LIMITED`; `FUTURE_SIZE` or `OUT_OF_RANGE` unless its
  ///   size is that of a signed head; `HEAD_REFUSED` if that head has another root
  public KeptAnchor set(StrandId strand, Bytes encoded) throws RequestRejectedException {
    MemberKeys keys = new MemberKeys(registry, strand.ledger());
    Anchor.Signed signed;
    try {
      signed = Anchor.verify(encoded, strand, keys, signatures);
    } catch (ProofRejectedException e) {
      throw keys.refusal().orElse(refused(e));
    }
    KeptAnchor kept = new KeptAnchor(signed.anchor(), signed.kid(), encoded);
    Member signer = access.current(strand.ledger(), signed.kid());
    if (!isKept(kept, signer)) {
      access.signerOfAnyRole(strand.ledger(), signed.kid());
      checkHead(signed.anchor());
      anchors().keep(kept);
    }
    return kept;
  }

  /// A damaged row is none: the anchor replaces it.
  private boolean isKept(KeptAnchor anchor, Member signer) throws RequestRejectedException {
    try {
      return anchors()
          .nearest(
              anchor.anchor().strand(), anchor.anchor().size().value(), Set.of(signer.key().kid()))
          .filter(anchor::equals)
          .isPresent();
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.DAMAGED) {
        return false;
      }
      throw e;
    }
  }

  private static RequestRejectedException refused(ProofRejectedException e) {
    return e.reason() == Reason.SIZE_OUT_OF_RANGE
        ? new RequestRejectedException(RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e)
        : SubmissionVerifier.refused(e);
  }

  private void checkHead(Anchor anchor) throws RequestRejectedException {
    long size = anchor.size().value();
    long newest = node.newestSize(anchor.strand());
    if (size > newest) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE,
              String.format(
                  Locale.ROOT, "anchor of size %d, the newest signed head has %d", size, newest))
          .withLimit(newest);
    }
    BlockView block = node.blockOf(anchor.strand(), size - 1);
    if (block.size() != size) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              String.format(
                  Locale.ROOT,
                  "no head of size %d was signed, the next one has %d",
                  size,
                  block.size()))
          .withLimit(block.size());
    }
    if (!block.root().equals(anchor.root().digest())) {
      throw new RequestRejectedException(
          RejectionCode.HEAD_REFUSED,
          String.format(
              Locale.ROOT,
              "the head of size %d has root %s, the anchor says %s",
              size,
              block.root(),
              anchor.root()));
    }
  }

  /// The largest anchor of at most `size` leaves by a member that is a current one still.
  ///
  /// @param size 0: the newest signed size
  /// @throws RequestRejectedException `OUT_OF_RANGE` if there is none; as {@link ReadAccess#node}
  public KeptAnchor nearest(StrandId strand, long size, Bearer bearer)
      throws RequestRejectedException {
    LedgerNode readable = access.node(strand.ledger(), bearer, Scope.EVIDENCE);
    long upTo = size == 0 ? readable.newestSize(strand) : size;
    Set<Digest> current = new HashSet<>();
    long now = registry.timeMs();
    for (Member member : registry.members(strand.ledger()).members()) {
      if (member.currentAt(now)) {
        current.add(member.key().kid());
      }
    }
    Optional<KeptAnchor> found = anchors().nearest(strand, upTo, current);
    return found.orElseThrow(() ->
        new RequestRejectedException(
            RejectionCode.OUT_OF_RANGE, "no trusted anchor is set at size " + upTo + " or below"));
  }

  private KeptAnchors anchors() throws RequestRejectedException {
    return node.keptAnchors()
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.UNAVAILABLE, "this service keeps no anchors"));
  }
}
