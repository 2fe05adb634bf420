package io.tallystick.server.read;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.JournalView;
import io.tallystick.node.Member;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Shows how a ledger's service keys came from those of genesis: all rotations, and the journals by
/// which their signers became members. Source: `docs/formats/people-and-time.md`, "Key chain". Of a
/// purged ledger it shows the same of the newest purge, as far as its snapshot does not. Source:
/// `docs/formats/removal.md`, "Pseudo-genesis".
public final class KeyChains {
  private final Evidence evidence;
  private final LogReader log;

  public KeyChains(Evidence evidence, LogReader log) {
    this.evidence = evidence;
    this.log = log;
  }

  /// @throws RequestRejectedException `TOO_LARGE` if more than {@link KeyChain#ENTRIES_MAX}
  ///   journals would be needed
  public KeyChain of(StrandIndex strand)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Optional<Purge> purge = strand.head().governance().removals().lastPurge();
    Deque<Long> wanted = new ArrayDeque<>();
    if (purge.isPresent()) {
      addRemoval(strand, log.journal(strand, purge.get().jsn(), false), wanted);
      wanted.removeIf(jsn -> jsn < purge.get().firstKept());
    }
    return of(strand, wanted);
  }

  /// The same with the journals by which the signers of a removal became what they were.
  public KeyChain of(StrandIndex strand, JournalView removal)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Deque<Long> wanted = new ArrayDeque<>();
    addRemoval(strand, removal, wanted);
    return of(strand, wanted);
  }

  private void addRemoval(StrandIndex strand, JournalView removal, Deque<Long> wanted)
      throws IOException, CorruptStreamException, RequestRejectedException {
    try {
      addMemberships(strand, removal, wanted);
    } catch (MalformedException e) {
      throw damaged(removal.jsn(), e);
    }
  }

  private KeyChain of(StrandIndex strand, Deque<Long> wanted)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SortedMap<Long, KeyChain.Entry> entries = new TreeMap<>();
    for (ServiceKeys.Term term : strand.head().members().service().rotations()) {
      wanted.add(term.above().value() - 2);
    }
    while (!wanted.isEmpty()) {
      long jsn = wanted.remove();
      if (entries.containsKey(jsn)) {
        continue;
      }
      if (entries.size() == KeyChain.ENTRIES_MAX) {
        throw new RequestRejectedException(
                RejectionCode.TOO_LARGE,
                "a key chain of more than " + KeyChain.ENTRIES_MAX + " journals")
            .withLimit(KeyChain.ENTRIES_MAX);
      }
      JournalView journal = log.journal(strand, jsn, false);
      Bytes attestation = Objects.requireNonNull(journal.attestation());
      entries.put(jsn, new KeyChain.Entry(evidence.receiptFile(strand, journal), attestation));
      try {
        addMemberships(strand, journal, wanted);
      } catch (MalformedException e) {
        throw damaged(jsn, e);
      }
    }
    return new KeyChain(List.copyOf(entries.values()));
  }

  private static RequestRejectedException damaged(long jsn, MalformedException cause) {
    return new RequestRejectedException(
            RejectionCode.DAMAGED, "journal " + jsn + ": " + cause.getMessage(), cause)
        .atJsn(jsn);
  }

  /// The journals by which the signers of this one became what they were.
  private void addMemberships(StrandIndex strand, JournalView journal, Deque<Long> wanted)
      throws IOException, CorruptStreamException, RequestRejectedException, MalformedException {
    JournalLeaf leaf = (JournalLeaf) Leaf.decode(journal.leaf());
    Attestation attestation =
        Attestation.decode(
            Objects.requireNonNull(journal.attestation()),
            RequestHeader.decode(leaf.header()).kind());
    for (CoseSign1 signature : attestation.signatures()) {
      Digest kid = ProtectedHeader.kid(signature.protectedHeader());
      Member member = strand.head().members().find(kid).orElse(null);
      if (member == null) {
        continue; // a service key
      }
      if (member.addedJsn() > 0) {
        wanted.add(member.addedJsn());
      }
      if (member.grantedJsn() < journal.jsn()) {
        if (member.grantedJsn() > 0) {
          wanted.add(member.grantedJsn());
        }
      } else {
        addGrants(strand, kid, member.addedJsn() + 1, journal.jsn(), wanted);
      }
    }
  }

  /// Adds the grants to a key that was granted something else since: only the log knows them.
  private void addGrants(StrandIndex strand, Digest kid, long from, long to, Deque<Long> wanted)
      throws IOException, CorruptStreamException, RequestRejectedException {
    if (from < to) {
      log.walkGovernance(
          strand,
          from,
          to,
          (jsn, leaf, _, _, _, _, _) -> {
            if (grants(jsn, leaf, kid)) {
              wanted.add(jsn);
            }
            return true;
          });
    }
  }

  private static boolean grants(long jsn, Bytes encoded, Digest kid) {
    try {
      return Leaf.decode(encoded) instanceof JournalLeaf leaf
          && leaf.batchCount() == 1
          && RequestHeader.decode(leaf.header()).extension() instanceof Extension.Grant grant
          && grant.key().kid().equals(kid);
    } catch (MalformedException e) {
      throw new AssertionError("journal " + jsn + " of the log does not decode", e);
    }
  }
}
