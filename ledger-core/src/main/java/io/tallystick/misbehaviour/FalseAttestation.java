package io.tallystick.misbehaviour;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Claim 2. The leaves are one journal, or all members of a batch in order. Items: the attestation
/// whose hash they hold, then the signers' keys as SPKI; a kid binds its key, so nobody has to
/// vouch for them.
final class FalseAttestation {
  private final Shown shown;
  private final List<RequestHeader> headers = new ArrayList<>();
  private final List<Digest> hashes = new ArrayList<>();

  FalseAttestation(Shown shown) {
    this.shown = shown;
  }

  String find() throws ProofRejectedException, MalformedException {
    if (shown.items().isEmpty()) {
      throw new ProofRejectedException(Reason.MISSING, "no attestation is shown");
    }
    Bytes encoded = shown.items().getFirst();
    readLeaves(Attestation.hash(encoded));
    Attestation attestation;
    try {
      attestation =
          headers.size() == 1
              ? Attestation.decode(encoded, headers.getFirst().kind())
              : Attestation.decode(encoded);
    } catch (MalformedException e) {
      return found("is none: " + e.getMessage());
    }
    try {
      AttestationVerifier.verify(
          shown.strand(), headers, hashes, attestation, keys(), shown.signatures());
    } catch (ProofRejectedException e) {
      if (e.reason() == Reason.NOT_A_MEMBER) {
        throw new ProofRejectedException(
            Reason.MISSING, "the key of a signer is not shown: " + e.getMessage(), e);
      }
      return found("does not verify: " + e.getMessage());
    }
    throw Shown.inOrder("the attestation of journal " + firstJsn() + " verifies");
  }

  private void readLeaves(Digest attestHash) throws ProofRejectedException, MalformedException {
    for (int i = 0; i < shown.leaves().size(); i++) {
      ShownLeaf leaf = shown.leaves().get(i);
      JournalLeaf journal = leaf.journal();
      if (!journal.attestHash().equals(attestHash)) {
        throw new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH,
            "attestation hashes to " + attestHash + ", leaf " + leaf.jsn() + " says another");
      }
      if (journal.batchCount() != shown.leaves().size()
          || journal.batchIndex() != i
          || leaf.jsn() != firstJsn() + i) {
        throw new ProofRejectedException(
            Reason.MISSING,
            String.format(
                Locale.ROOT,
                "leaf %d is number %d of %d, shown as number %d of %d",
                leaf.jsn(),
                journal.batchIndex(),
                journal.batchCount(),
                i,
                shown.leaves().size()));
      }
      headers.add(leaf.header());
      hashes.add(RequestHeader.hash(journal.header()));
    }
  }

  private long firstJsn() {
    return shown.leaves().getFirst().jsn();
  }

  private KeyLookup keys() throws MalformedException {
    Map<Digest, PublicKey> keys = new HashMap<>();
    for (Bytes spki : shown.items().subList(1, shown.items().size())) {
      PublicKey key = PublicKey.ofSpki(spki);
      keys.put(key.kid(), key);
    }
    KeyLookup lookup = kid -> Optional.ofNullable(keys.get(kid));
    // In force at a jsn is the key that judges the head which ends with it.
    return lookup.withReceiptKey(shown.keys().receiptKey(new TreeSize(firstJsn() + 1)));
  }

  private String found(String what) {
    return "the attestation of journal " + firstJsn() + " " + what;
  }
}
