package io.tallystick.client.state;

import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.state.LookupFile;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.StateFile;
import java.util.List;

/// Keys that one proof shows, in ascending order.
public final class KeysPage {
  /// A proof of one key, or of several.
  sealed interface Proof {
    record OfOne(LookupProof proof) implements Proof {}

    record OfSeveral(LookupsProof proof) implements Proof {}
  }

  private final SignedHead head;
  private final Proof proof;
  private final List<HeldKey> keys;

  KeysPage(SignedHead head, Proof proof, List<HeldKey> keys) {
    this.head = head;
    this.proof = proof;
    this.keys = List.copyOf(keys);
  }

  public List<HeldKey> keys() {
    return keys;
  }

  /// The page as evidence for others, complete in itself but for the service's keys; with the
  /// values that are at hand.
  ///
  /// @return an encoded {@link LookupFile}; of a page of one key a {@link StateFile}
  public Bytes file() {
    return switch (proof) {
      case Proof.OfOne(LookupProof one) ->
          StateFile.of(head, one, keys.getFirst().opened()).encode();
      case Proof.OfSeveral(LookupsProof several) ->
          LookupFile.of(head, several, keys.stream().map(HeldKey::opened).toList()).encode();
    };
  }

  @Override
  public String toString() {
    return "KeysPage[" + keys.size() + " keys from " + keys.getFirst() + "]";
  }
}
