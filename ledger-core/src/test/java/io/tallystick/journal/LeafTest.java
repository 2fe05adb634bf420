package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.Role;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: leaves and genesis keep their bytes. Method: round trips, and the fast path beside the
/// record.
class LeafTest {
  private final Sample sample = new Sample();
  private final Bytes header = sample.draft("x").build().header();
  private final Digest hash = Digest.fromHex("ab".repeat(32));

  @Test
  void everyLeafRoundTripsAndCountsItsItems() throws MalformedException {
    List<Leaf> leaves =
        List.of(
            new GenesisLeaf(Sample.TIME_MS, 0, sample.params.encode(), hash),
            SealLeaf.of(new Jsn(1), Sample.TIME_MS, 0, Digest.ZERO, new Jsn(0), hash),
            new JournalLeaf(new Jsn(2), Sample.TIME_MS, header, hash, 0, 1),
            new JournalLeaf(new Jsn(3), Sample.TIME_MS, header, hash, 9999, 10_000),
            SealLeaf.of(new Jsn(4), Sample.TIME_MS, 1, hash, new Jsn(2), hash));
    for (Leaf leaf : leaves) {
      assertThat(Leaf.decode(leaf.encode())).isEqualTo(leaf);
      assertThat(leaf.leafHash())
          .isEqualTo(Sha256.hash(new byte[] {0}, leaf.encode().unsafeArray()));
      for (int change : new int[] {-1, 1}) {
        byte[] miscounted = leaf.encode().toArray();
        miscounted[0] += (byte) change;
        assertThatThrownBy(() -> Leaf.decode(Bytes.wrap(miscounted)))
            .isInstanceOf(MalformedException.class);
      }
    }
  }

  @Test
  void anExtensionFitsTheKindItIsOfAndNoOther() {
    List<Extension> extensions =
        List.of(
            new Extension.None(),
            new Extension.MemberAdd(Role.NORMAL, sample.owners.getFirst().publicKey()),
            new Extension.MemberRevoke(hash),
            new Extension.Parameters(1, Set.of(Feature.CLUE_TRIE)),
            TrustSamples.rotation(),
            TrustSamples.token(),
            TrustSamples.grant(),
            Extension.Close.INSTANCE);
    List<Set<Kind>> kinds =
        List.of(
            Set.of(Kind.APPEND, Kind.CLUE_DELETE),
            Set.of(Kind.MEMBER_ADD),
            Set.of(Kind.MEMBER_REVOKE),
            Set.of(Kind.PARAMETERS),
            Set.of(Kind.KEY_ROTATION),
            Set.of(Kind.TIME),
            Set.of(Kind.GRANT),
            Set.of(Kind.CLOSE));
    for (int i = 0; i < extensions.size(); i++) {
      for (Kind kind : Kind.values()) {
        assertThat(extensions.get(i).fits(kind))
            .as("%s with %s", kind, extensions.get(i))
            .isEqualTo(kinds.get(i).contains(kind));
      }
    }
  }

  @Test
  void theFastPathWritesTheSameBytes() {
    CborWriter out = new CborWriter(16);
    JournalLeaf.encode(out, 77, Sample.TIME_MS, header.unsafeArray(), hash, 3, 300);
    assertThat(out.toBytes())
        .isEqualTo(new JournalLeaf(new Jsn(77), Sample.TIME_MS, header, hash, 3, 300).encode());
  }

  @Test
  void emptyStateRootIsTheDocumentedHash() {
    byte[] inner = new CborWriter().array(2).uint(0).digest(Sha256.hash()).toArray();
    assertThat(
            Sha256.hash(
                "tallystick/forest/1\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                inner))
        .isEqualTo(SealLeaf.EMPTY_STATE_ROOT);
  }

  @Test
  void genesisRoundTripsAndIsFoundedByAllOwners() throws Exception {
    Bytes encoded = sample.params.encode();
    assertThat(GenesisParams.decode(encoded)).isEqualTo(sample.params);
    Attestation all = RequestSigner.signGenesis(sample.params, sample.owners);
    assertThat(GenesisVerifier.verify(encoded, all, sample.signatures)).isEqualTo(sample.params);
    Attestation one = RequestSigner.signGenesis(sample.params, sample.owners.subList(0, 1));
    assertThatThrownBy(() -> GenesisVerifier.verify(encoded, one, sample.signatures))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("MISSING");
  }
}
