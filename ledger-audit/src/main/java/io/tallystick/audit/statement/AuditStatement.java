package io.tallystick.audit.statement;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.KeyDirectory;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;

/// How far an audit came, and all it needs to go on behind there:
/// `docs/formats/audit-statement.md`. Made only behind a seal, so no submission and no block is
/// open.
///
/// @param checks what was checked
/// @param genesis the encoded GenesisParams, whose hash is the ledgerId
/// @param head how far
/// @param members ascending by kid
/// @param faultCount of all found, kept in `faults` or not
/// @param compared the trusted head the log was found to contain
/// @param clueTrieFrom height of the first block that may name clues; negative if none is known
/// @param stateFile SHA-256 of the file that holds the state; empty if there is none yet
/// @param madeMs when, by the auditor's clock; for people
/// @param window the signatures within their windows, 32 bytes each
/// @param trust what is known of time and people besides
/// @param removals what was removed, and the file of what later removals can name
public record AuditStatement(
    StrandId strand,
    Checks checks,
    Bytes genesis,
    Head head,
    List<Member> members,
    AuditCounts counts,
    long faultCount,
    List<AuditFault> faults,
    Optional<Compared> compared,
    long clueTrieFrom,
    Optional<Digest> stateFile,
    long madeMs,
    Bytes window,
    Trust trust,
    Removals removals) {
  public static final int WINDOW_ENTRY_BYTES = 32;

  /// The value of a jsn, a height or a time that has not come to pass.
  public static final long NEVER = -1;

  public AuditStatement {
    members = List.copyOf(members);
    faults = List.copyOf(faults);
    if (head.size < 2 || Long.bitCount(head.size) != head.frontier.size()) {
      throw new IllegalArgumentException(
          head.frontier.size() + " subtrees for a size of " + head.size);
    }
    if (!TreeHasher.foldRight(head.frontier).equals(head.root)) {
      throw new IllegalArgumentException("the root is not that of the subtrees");
    }
    if (window.size() % WINDOW_ENTRY_BYTES != 0) {
      throw new IllegalArgumentException("window of " + window.size() + " bytes");
    }
    if (faultCount < faults.size() || (!checks.allFaults && faultCount > 0)) {
      throw new IllegalArgumentException("faultCount is " + faultCount);
    }
  }

  /// The same beside these files.
  public AuditStatement withFiles(Optional<Digest> ofState, Optional<Digest> ofRemovals) {
    return new AuditStatement(
        strand,
        checks,
        genesis,
        head,
        members,
        counts,
        faultCount,
        faults,
        compared,
        clueTrieFrom,
        ofState,
        madeMs,
        window,
        trust,
        removals.withFile(ofRemovals));
  }

  /// The context of every check, as genesis gives it.
  ///
  /// @throws StatementException if the genesis is not that of the ledger
  public AuditContext context(Signatures signatures) throws StatementException {
    LedgerId ledger = Commitments.ledgerId(genesis);
    if (!ledger.equals(strand.ledger())) {
      throw new StatementException(
          Reason.WRONG_LEDGER, "its genesis is that of " + ledger + ", want " + strand);
    }
    try {
      GenesisParams params = GenesisParams.decode(genesis);
      KeyDirectory keys = new KeyDirectory();
      members.forEach(member -> keys.publish(member.key()));
      return new AuditContext(strand, params, signatures, keys, checks.bodies());
    } catch (MalformedException e) {
      throw new StatementException(Reason.MALFORMED, "genesis: " + e.getMessage(), e);
    }
  }

  /// @param bodies whether salts and bodies were checked
  /// @param allFaults whether the audit goes on behind faults of single submissions
  /// @param tokens whether the tokens of time journals were judged
  /// @param maxWindowMs the longest window that was no fault; negative if any was
  public record Checks(boolean bodies, boolean allFaults, boolean tokens, long maxWindowMs) {
    /// The checks of an audit that judged no tokens.
    Checks(boolean bodies, boolean allFaults) {
      this(bodies, allFaults, false, -1);
    }
  }

  /// @param frontier roots of the complete subtrees, largest first
  /// @param seal leaf hash of leaf `size` − 1, the last seal
  /// @param sealAt where a saved copy has that entry, in bytes from its start; 0 if unknown. A hint
  /// @param height of the next block
  /// @param timeMs of the last leaf
  /// @param signed whether a head of this size, signed by the service, was verified
  public record Head(
      long size,
      List<Digest> frontier,
      Digest root,
      Digest seal,
      long sealAt,
      long height,
      long timeMs,
      boolean signed) {
    public Head {
      frontier = List.copyOf(frontier);
    }
  }

  /// @param revokedJsn negative if it is a member still
  /// @param notAfterMs the last leaf time at which its key holds; negative if it does not expire
  /// @param delegated whether its key is an agent's
  /// @param sinceJsn the journal that gave it this role; negative if an auditor before version 5
  ///   audited that
  /// @param sinceMs that journal's leaf time, of genesis its createdMs; negative if an auditor
  ///   before version 6 audited that
  /// @param replacedBy the key whose grant revoked it
  public record Member(
      PublicKey key,
      Role role,
      long revokedJsn,
      long notAfterMs,
      boolean delegated,
      long sinceJsn,
      long sinceMs,
      Optional<Digest> replacedBy) {
    /// A member of which no more was known before version 5.
    Member(PublicKey key, Role role, long revokedJsn, long notAfterMs, boolean delegated) {
      this(key, role, revokedJsn, notAfterMs, delegated, NEVER, NEVER, Optional.empty());
    }

    /// A member that no grant speaks of.
    Member(PublicKey key, Role role, long revokedJsn) {
      this(key, role, revokedJsn, NEVER, false);
    }
  }

  /// @param closedJsn the journal that closed the ledger; negative if none did
  /// @param rotations of the service's keys, ascending
  /// @param time what the time journals said
  public record Trust(long closedJsn, List<ServiceKeys.Term> rotations, TimeState time) {
    /// The trust in a log without journals of kinds 19 to 25.
    static final Trust NONE = new Trust(NEVER, List.of(), TimeState.NONE);

    public Trust {
      rotations = List.copyOf(rotations);
    }

    /// The trust in such a log, stated by an auditor that knew none of these kinds.
    static Trust behind(Head head, long journals) {
      return new Trust(NEVER, List.of(), TimeState.behind(head, journals));
    }
  }

  public record Compared(long size, Digest root) {}

  /// @param occults the first of them, ascending by jsn
  /// @param count of all occults
  /// @param journals that they name
  /// @param present of them, how many bodies were still there
  /// @param firstJsn of the leaves in the file: a removal can name none below
  /// @param file SHA-256 of the file of what removals can name; empty if there is none
  public record Removals(
      List<AuditedRemovals.Occult> occults,
      long count,
      long journals,
      long present,
      long firstJsn,
      Optional<Digest> file) {
    /// The removals of a log without occults, in which a removal can name each leaf.
    static final Removals NONE = new Removals(List.of(), 0, 0, 0, 0, Optional.empty());

    public Removals {
      occults = List.copyOf(occults);
      if (count < occults.size()) {
        throw new IllegalArgumentException(occults.size() + " of " + count + " occults");
      }
    }

    /// Stated by an auditor that knew no removal, of a log without any.
    public static Removals behind(Head head) {
      return new Removals(List.of(), 0, 0, 0, head.size, Optional.empty());
    }

    Removals withFile(Optional<Digest> hash) {
      return new Removals(occults, count, journals, present, firstJsn, hash);
    }
  }
}
