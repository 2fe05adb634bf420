package io.tallystick.audit.history;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Digest;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/// The heads of the receipts with which a purged log begins: of those that cover leaves of the log,
/// the log must have the root. Not thread-safe. Source: `docs/audit.md`.
final class ShownHeads {
  private final Deque<SignedHead> next = new ArrayDeque<>();

  /// Before any leaf.
  void begin(List<SignedHead> heads) {
    heads.stream().sorted(Comparator.comparingLong(head -> head.size().value())).forEach(next::add);
  }

  /// To be asked where the log begins, and after every leaf.
  void check(BlockReplay blocks) throws FaultException {
    while (!next.isEmpty() && next.getFirst().size().value() <= blocks.size()) {
      SignedHead head = next.removeFirst();
      if (head.size().value() < blocks.size()) {
        continue;
      }
      Digest found = blocks.root();
      if (!found.equals(head.root().digest())) {
        throw new FaultException(
            blocks.size() - 1,
            FaultKind.PSEUDO_GENESIS_INVALID,
            String.format(
                Locale.ROOT,
                "root of size %d is %s, a receipt shown is under %s",
                blocks.size(),
                found,
                head.root().digest()));
      }
    }
  }
}
