package io.tallystick.audit.finding;

import io.tallystick.model.MalformedException;
import java.util.Arrays;

/// The kinds of fault in a log; stable names, used in reports.
public enum FaultKind {
  LOG_MALFORMED("the source of the log is not in its format", true),
  LOG_TRUNCATED("the log breaks off before the size it promises", true),
  LOG_DAMAGED("the service says that what it stored here is damaged", true),
  WRONG_LEDGER("this belongs to another ledger or strand", true),
  MALFORMED_LEAF("the leaf is not in its one canonical encoding", true),
  WRONG_JSN("the leaf does not carry its own index", true),
  WRONG_TYPE("a leaf of this type may not stand here", true),
  GENESIS_INVALID("the founding of the ledger breaks its own rules", true),
  WRONG_BATCH("a client's batch is not whole, in order and in one block", true),
  ATTESTATION_MISSING("the client's signatures are missing", true),
  ATTESTATION_MISMATCH("the client's signatures are not those the leaf commits to", true),
  ATTESTATION_INVALID("the client's signatures do not have the form demanded", true),
  BAD_SIGNATURE("a client's signature does not verify", false),
  UNKNOWN_SIGNER("the signer was not a member at this point", false),
  REVOKED_SIGNER("the signer's membership had been revoked", false),
  EXPIRED_SIGNER("the signer's key had expired", false),
  ROLE_NOT_ALLOWED("the signer's role does not allow this", false),
  OWNERS_MISSING("not every owner signed the closing", true),
  LEDGER_CLOSED("the ledger was closed before", false),
  WRONG_FLAGS("the leaf's mark of delegated keys is wrong", false),
  REPLAYED("a client's signature was used a second time", false),
  FEATURE_NOT_ENABLED("the ledger does not have the feature this journal uses", true),
  OPERATIONS_MISSING("the operations the client signed are missing", true),
  OPERATIONS_MISMATCH("the operations are not those the client signed", true),
  VALUE_MISMATCH("a value is not the one its operation commits to", false),
  PRECONDITION_IGNORED("an operation stands here though its precondition did not hold", false),
  MEMBER_CHANGE_INVALID("this change of members breaks the rules", true),
  GRANT_INVALID("this grant breaks the rules", true),
  CERTIFICATE_INVALID("the certificates of this grant do not prove its key's name", false),
  LAST_OWNER("no lasting owner is left behind this change", true),
  DELEGATION_DROPPED("a key marked as an agent's loses the mark", true),
  STYLE_BROKEN("the style of the ledger does not allow this member", true),
  PARAMETERS_INVALID("this change of parameters breaks the rules", true),
  TIME_CHAIN_BROKEN("this time journal does not name the one before it", false),
  TIME_HEAD_WRONG("this time journal is about no head of this log", false),
  TIME_TOKEN_REFUSED("the token of this time journal proves nothing", false),
  TIME_ENTRY_REFUSED("the T-Ledger entry of this time journal proves nothing", false),
  HEAD_ENTRY_INVALID("the head in this entry is none that a T-Ledger may hold", false),
  TIME_SKEWED("the token's time is not the leaf's", false),
  TIME_WINDOW_TOO_WIDE("journals were not anchored in time within the window asked for", false),
  REMOVAL_FORBIDDEN("the ledger is permanent: nothing may be removed from it", false),
  REGULATOR_MISSING("no regulator signed this removal", false),
  REGULATOR_TOO_NEW("no regulator who signed this removal counts for the journals it names", false),
  TARGET_INVALID("this removal names a journal that it may not, or none", false),
  TARGET_REMOVED("this removal names a journal that was occulted or purged before", false),
  PURGE_INVALID("a purge may not go that far, or not now", false),
  SNAPSHOT_WRONG("the snapshot that this purge names is not that of the log", false),
  RECALL_INVALID("this recall takes no purge back", false),
  PSEUDO_GENESIS_INVALID("that with which this purged log begins does not verify", true),
  SERVICE_KEYS_INVALID("this rotation of the service's keys breaks the rules", true),
  ROTATION_NOT_ALONE("a rotation of the service's keys does not stand alone in its block", true),
  TIME_BACKWARDS("time goes backwards", true),
  TIME_OUTSIDE_WINDOW("the service's time is outside what the client signed", false),
  WINDOW_TOO_LONG("the client's window is longer than the ledger allows", false),
  REQUEST_TOO_LARGE("the request is larger than the limit", false),
  BODY_MISSING("the body is gone though nobody signed for its removal", false),
  BODY_DAMAGED("the stored body is damaged", false),
  BODY_MISMATCH("the body is not the one the client signed", false),
  SALT_INVALID("the salt is one that hides nothing", false),
  BODY_UNEXPECTED("a body stands where there can be none", false),
  BROKEN_BLOCK("the block is not formed as a block must be", true),
  WRONG_HEIGHT("the seal has the wrong height", true),
  BROKEN_CHAIN("the seal does not name the seal before it", true),
  WRONG_ROOT("the seal's root is not the root of the leaves before it", true),
  WRONG_FEATURE_ROOT("the seal's clue or state root is not that of the journals", true),
  WRONG_STATE_ROOT("the seal's state root is not that of the operations", true),
  UNSEALED_END("the log does not end with a seal", true),
  HEAD_MISSING("the log's head is not signed", true),
  HEAD_INVALID("the signed head does not verify over these leaves", true),
  WRONG_ENTRY("an entry is not the one in the signed tree", true),
  WRONG_TILE("a hash tile does not have the hashes of the entries", true),
  TRUSTED_HEAD_CONTRADICTED("the log contradicts a head that was trusted before", true),
  ANCHOR_INVALID(
      "the anchor to start from is no head of this log that one of its members signed", true),
  OTHER_HEAD_CONTRADICTED("the log contradicts a head that somebody else has", true),
  HEAD_NOT_WITNESSED("too few of the demanded witnesses cosigned a head of this log", true);

  private final String plainWords;
  private final boolean fatal;

  FaultKind(String plainWords, boolean fatal) {
    this.plainWords = plainWords;
    this.fatal = fatal;
  }

  /// @throws MalformedException if no kind has that name
  public static FaultKind named(String name) throws MalformedException {
    return Arrays.stream(values())
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new MalformedException("\"" + name + "\" is no kind of fault"));
  }

  /// The kind as half a sentence, for people.
  public String plainWords() {
    return plainWords;
  }

  /// Whether the replay cannot go on behind such a fault; the others concern one submission only.
  public boolean fatal() {
    return fatal;
  }
}
