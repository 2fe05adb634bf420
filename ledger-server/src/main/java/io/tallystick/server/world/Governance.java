package io.tallystick.server.world;

import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A ledger's members and features at one jsn, whether it is closed, its newest time journal and
/// what was removed from it, from genesis and governance journals. Immutable, so that the
/// sequencer, the indexer and readers each hold the version they need.
///
/// @param closedJsn of the journal that closed the ledger; {@link #OPEN} while none has
public record Governance(
    MemberTable members,
    FeatureTable features,
    long closedJsn,
    Optional<NewestTime> newestTime,
    Removals removals) {
  public static final long OPEN = Long.MAX_VALUE;

  /// Before any key expires.
  private static final long EARLIEST_MS = 0;

  public static Governance ofGenesis(GenesisParams genesis) {
    return new Governance(
        MemberTable.ofGenesis(genesis),
        FeatureTable.ofGenesis(genesis),
        OPEN,
        Optional.empty(),
        Removals.NONE);
  }

  public boolean closed() {
    return closedJsn != OPEN;
  }

  /// Whether the ledger was deleted: closed, and purged with the journal that closed it.
  public boolean deleted() {
    return removals.firstKept() > closedJsn;
  }

  /// @throws RequestRejectedException `PURGED` if the ledger was deleted, with the jsn of the purge
  ///   that did it; the limit is the first jsn kept
  public void checkNotDeleted() throws RequestRejectedException {
    for (Purge purge : removals.purges()) {
      if (isDeletedBy(purge)) {
        throw purge.deletedLedger(closedJsn, removals.firstKept());
      }
    }
  }

  /// Whether a purge deletes the ledger.
  public boolean isDeletedBy(Purge purge) {
    return purge.firstKept() > closedJsn;
  }

  /// Decides whether these signers may have this request at `jsn`.
  ///
  /// @param timeMs of the leaf it would be
  /// @throws RequestRejectedException `LEDGER_CLOSED`; as {@link MemberTable#authorize}
  public void authorize(List<Digest> signers, RequestHeader header, long jsn, long timeMs)
      throws RequestRejectedException {
    checkOpen(header);
    members.authorize(signers, header, jsn, timeMs);
  }

  /// @throws RequestRejectedException `LEDGER_CLOSED`
  public void checkOpen(RequestHeader header) throws RequestRejectedException {
    if (closed() && !isTakenAfterClose(header)) {
      throw new RequestRejectedException(
              RejectionCode.LEDGER_CLOSED,
              String.format(
                  Locale.ROOT,
                  "journal %d closed the ledger; kind %d (%s) is not taken any more",
                  closedJsn,
                  header.kind().code(),
                  header.kind()))
          .atJsn(closedJsn);
    }
  }

  /// A closed ledger takes what its service and what a removal need.
  private static boolean isTakenAfterClose(RequestHeader header) {
    return switch (header.kind()) {
      case KEY_ROTATION, TIME, PURGE, OCCULT, RECALL -> true;
      case APPEND, CLUE_DELETE, MEMBER_ADD, MEMBER_REVOKE, PARAMETERS, GRANT, CLOSE -> false;
    };
  }

  /// Whether {@link #authorize} lets the request in at the next jsn, whatever that is, as far as
  /// keys do not expire meanwhile: these members are the newest.
  public boolean admits(List<Digest> signers, RequestHeader header) {
    try {
      authorize(signers, header, Member.NEVER, EARLIEST_MS);
      return true;
    } catch (RequestRejectedException _) {
      return false;
    }
  }

  /// Decides whether an occult that {@link #authorize} lets in may be.
  ///
  /// @param targets the journals that its target names
  /// @throws RequestRejectedException as {@link Removals#checkOccult}
  public void checkOccult(JsnSet targets, List<Digest> signers, long timeMs)
      throws RequestRejectedException {
    removals.checkOccult(targets, signers, timeMs, newestTime.isPresent());
  }

  /// Decides whether a purge that {@link #authorize} lets in may be.
  ///
  /// @throws RequestRejectedException `ROLE_NOT_ALLOWED`; as {@link Removals#checkPurge}, {@link
  ///   Removals#checkPurgeSigners}
  public void checkPurge(Extension.Purge purge, PurgeTerms terms, List<Digest> signers, long timeMs)
      throws RequestRejectedException {
    removals.checkPurge(purge, newestTime, timeMs);
    for (Digest kid : signers) {
      Role role = members.find(kid).map(Member::role).orElse(Role.VERIFY_ONLY);
      if (!role.mayAppend() && !terms.affected().contains(kid)) {
        throw new RequestRejectedException(
            RejectionCode.ROLE_NOT_ALLOWED,
            String.format(Locale.ROOT, "member %s is %s and not affected by the purge", kid, role));
      }
    }
    removals.checkPurgeSigners(terms, signers, timeMs, newestTime.isPresent());
  }

  /// Decides whether a recall that {@link #authorize} lets in may be.
  ///
  /// @throws RequestRejectedException as {@link Removals#checkRecall}
  public void checkRecall(Extension.Recall recall, long timeMs) throws RequestRejectedException {
    removals.checkRecall(recall, timeMs);
  }

  /// After a journal, in force from `jsn` + 1. A journal that governs nothing leaves it as it is.
  ///
  /// @param targets the journals that an occult's target names; null for any other journal
  /// @param timeMs of the journal's leaf
  /// @param height of the journal's block
  /// @throws RequestRejectedException as {@link MemberTable#after}, {@link FeatureTable#after} and
  ///   {@link NewestTime#after}
  public Governance after(
      RequestHeader header, @Nullable JsnSet targets, long jsn, long timeMs, long height)
      throws RequestRejectedException {
    Removals removed = removals.after(header, targets, jsn, timeMs);
    return switch (header.extension()) {
      case Extension.None _ -> this;
      case Extension.Parameters parameters ->
          new Governance(
              members, features.after(parameters, height), closedJsn, newestTime, removed);
      case Extension.Close _ -> new Governance(members, features, jsn, newestTime, removed);
      case Extension.Time time -> {
        NewestTime after = NewestTime.after(newestTime, header, time, jsn, timeMs);
        yield new Governance(members, features, closedJsn, Optional.of(after), removed);
      }
      case Extension.MemberAdd _,
          Extension.MemberRevoke _,
          Extension.Grant _,
          Extension.KeyRotation _,
          Extension.Removal _ ->
          new Governance(
              members.after(header, jsn, timeMs), features, closedJsn, newestTime, removed);
    };
  }
}
