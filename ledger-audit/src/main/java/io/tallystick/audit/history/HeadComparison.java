package io.tallystick.audit.history;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Digest;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Heads known from elsewhere against the roots recomputed at their sizes. The head that was
/// trusted before ends the audit where the log contradicts it; of the others only the recomputed
/// roots are kept, to be judged at the end. Not thread-safe.
public final class HeadComparison {
  private static final long NONE = -1;

  private final long size;
  private final Digest root;

  private final FaultKind fault;

  /// Sizes of the others' heads, ascending, each once.
  private final List<Long> wanted;

  private final Map<Long, Digest> roots = new HashMap<>();
  private int passed;

  /// The lowest size whose root this audit computes.
  private long start;

  private boolean joined;

  private HeadComparison(FaultKind fault, long size, Digest root, List<OtherHead> others) {
    this.fault = fault;
    this.size = size;
    this.root = root;
    this.wanted = others.stream().map(head -> head.size().value()).distinct().sorted().toList();
  }

  public static HeadComparison of(Optional<SignedHead> trusted, List<OtherHead> others) {
    return new HeadComparison(
        FaultKind.TRUSTED_HEAD_CONTRADICTED,
        trusted.map(head -> head.size().value()).orElse(NONE),
        trusted.map(head -> head.root().digest()).orElse(Digest.ZERO),
        others);
  }

  /// The comparison with an anchor, which the log must contain like a trusted head.
  public static HeadComparison ofAnchor(Optional<Anchor> anchor) {
    return new HeadComparison(
        FaultKind.ANCHOR_INVALID,
        anchor.map(known -> known.size().value()).orElse(NONE),
        anchor.map(known -> known.root().digest()).orElse(Digest.ZERO),
        List.of());
  }

  /// The trusted head, if the log has been found to contain it by `reached` leaves.
  Optional<AuditStatement.Compared> compared(long reached) {
    return size == NONE || size > reached || (size < start && !joined)
        ? Optional.empty()
        : Optional.of(new AuditStatement.Compared(size, root));
  }

  /// The root recomputed at the size of one of the others; empty if this audit did not come by
  /// there.
  Optional<Digest> rootAt(long otherSize) {
    return Optional.ofNullable(roots.get(otherSize));
  }

  /// To be asked where an audit goes on from a statement.
  ///
  /// @throws StatementException if the trusted head lies before it and was not compared then
  void checkResumed(AuditStatement statement, BlockReplay blocks)
      throws FaultException, StatementException {
    long reached = statement.head().size();
    while (passed < wanted.size() && wanted.get(passed) < reached) {
      passed++;
    }
    check(blocks);
    if (size == NONE || size >= reached) {
      return;
    }
    AuditStatement.Compared known = statement.compared().orElse(null);
    if (known == null || known.size() != size) {
      throw new StatementException(
          StatementException.Reason.HEAD_NOT_COMPARED,
          String.format(
              Locale.ROOT,
              "the trusted head of size %d lies before the %d leaves of the statement and was not compared then",
              size,
              reached));
    }
    if (!known.root().equals(root)) {
      throw contradicted(known.root());
    }
  }

  /// To be asked where a log begins whose prefix was purged.
  ///
  /// @throws FaultException if the log contradicts the trusted head of that size
  void checkStart(BlockReplay blocks) throws FaultException {
    start = blocks.size();
    check(blocks);
  }

  /// A proof has shown that the log continues the head from below its start.
  void joined() {
    joined = true;
  }

  /// To be asked after every leaf.
  void check(BlockReplay blocks) throws FaultException {
    long now = blocks.size();
    while (passed < wanted.size() && wanted.get(passed) <= now) {
      if (wanted.get(passed) == now) {
        roots.put(now, blocks.root());
      }
      passed++;
    }
    if (now != size) {
      return;
    }
    Digest found = blocks.root();
    if (!found.equals(root)) {
      throw contradicted(found);
    }
  }

  private FaultException contradicted(Digest found) {
    return new FaultException(
        size - 1, fault, "root of size " + size + " is " + found + ", " + name() + "'s is " + root);
  }

  private String name() {
    return fault == FaultKind.ANCHOR_INVALID ? "the anchor" : "the trusted head";
  }

  /// To be asked at the end of the log.
  public void checkReached(long logSize) throws FaultException {
    if (logSize < size) {
      throw new FaultException(
          logSize - 1, fault, "the log ends at size " + logSize + ", " + name() + " is of " + size);
    }
  }
}
