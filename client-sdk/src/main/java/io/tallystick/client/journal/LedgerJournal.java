package io.tallystick.client.journal;

import io.tallystick.journal.Body;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One entry of a ledger as read back, verified to stand at its jsn under a trusted head, its body
/// and its operations to be the ones its header commits to.
///
/// @param header of a client's request; empty for genesis and seals
/// @param bodyState `ERASED` if an occult erased the body, which {@link
///   io.tallystick.client.LedgerHandle#erasure} verifies
/// @param body present exactly when `bodyState` says so
/// @param ops on the ledger's state, in order; those of an erased body stay
/// @param signers the kids whose signatures over it were verified, ascending; empty for seals, and
///   in a page, where signatures are not fetched
public record LedgerJournal(
    Leaf leaf,
    Optional<RequestHeader> header,
    BodyState bodyState,
    Optional<Body> body,
    List<Op> ops,
    List<Digest> signers) {
  public LedgerJournal {
    ops = List.copyOf(ops);
    signers = List.copyOf(signers);
  }

  public Jsn jsn() {
    return leaf.jsn();
  }

  /// Whether its leaf says that the key of a signer was delegated, an agent's.
  public boolean delegated() {
    return leaf instanceof JournalLeaf journal && journal.delegated();
  }

  public long timeMs() {
    return leaf.timeMs();
  }

  /// For people: the body as text where that is short.
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "LedgerJournal[jsn %s at %s, %s, %s%s, signed by %s]",
        jsn(),
        Printable.time(timeMs()),
        header.map(it -> it.kind().toString()).orElse(leaf.getClass().getSimpleName()),
        body.map(Body::toString).orElse("body " + bodyState),
        ops.isEmpty() ? "" : ", " + ops.size() + " operations",
        signers);
  }
}
