package io.tallystick.server.sim;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.server.keys.ServicePair;
import io.tallystick.server.keys.ServicePairs;
import io.tallystick.server.seal.HeadSigner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// The pairs of keys that the service holds: new ledgers are founded with the first, and owners may
/// rotate to the others.
///
/// @param witnessed as the shard has them: it is told what they sign
/// @param plain the same keys, for what the simulator signs itself
record SimPairs(Authority authority, List<Pair> witnessed, List<Pair> plain) {
  private static final int PAIRS = 6;

  record Pair(FakeSignatures.Key note, FakeSignatures.Key receipt) {}

  /// Is told which key signs what.
  @FunctionalInterface
  interface Witness {
    void signing(PublicKey key, byte[] message);
  }

  static SimPairs draw(
      Authority authority, SplittableRandom random, Witness notes, Witness receipts) {
    List<Pair> witnessed = new ArrayList<>();
    List<Pair> plain = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      Pair pair = new Pair(FakeSignatures.key(random), FakeSignatures.key(random));
      plain.add(pair);
      witnessed.add(new Pair(watched(pair.note, notes), watched(pair.receipt, receipts)));
    }
    return new SimPairs(authority, witnessed, plain);
  }

  private static FakeSignatures.Key watched(FakeSignatures.Key key, Witness witness) {
    PublicKey shown = key.publicKey();
    return new FakeSignatures.Key(shown, key.raw(), message -> witness.signing(shown, message));
  }

  PublicKey firstNote() {
    return plain.getFirst().note.publicKey();
  }

  PublicKey firstReceipt() {
    return plain.getFirst().receipt.publicKey();
  }

  HeadSigner shardSigner() {
    return signer(witnessed);
  }

  HeadSigner plainSigner() {
    return signer(plain);
  }

  /// The last of a service's pairs is the one that it founds with.
  private HeadSigner signer(List<Pair> pairs) {
    List<ServicePair> held = new ArrayList<>();
    for (Pair pair : pairs.reversed()) {
      held.add(new ServicePair(pair.note, pair.receipt));
    }
    return new HeadSigner(new ServicePairs(authority, held));
  }

  boolean holds(Extension.KeyRotation rotation) {
    return plain.stream().anyMatch(pair -> pair.note.publicKey().equals(rotation.noteKey()))
        && receipt(rotation.receiptKey()).isPresent();
  }

  private Optional<FakeSignatures.Key> receipt(PublicKey key) {
    return plain.stream()
        .map(Pair::receipt)
        .filter(each -> each.publicKey().equals(key))
        .findFirst();
  }

  /// A rotation's attestation as the rules have it: by the present receipt key, the new one and the
  /// members.
  Bytes attest(Sent sent, Extension.KeyRotation rotation, ServiceKeys present) {
    List<Signer> service = new ArrayList<>();
    service.add(receipt(present.receiptKey()).orElseThrow());
    if (!rotation.receiptKey().equals(present.receiptKey())) {
      service.add(receipt(rotation.receiptKey()).orElseThrow());
    }
    return RequestSigner.signService(
            sent.verified.strand(),
            sent.verified.requestHashes().getFirst(),
            service,
            sent.verified.attestation().signatures())
        .encode();
  }
}
