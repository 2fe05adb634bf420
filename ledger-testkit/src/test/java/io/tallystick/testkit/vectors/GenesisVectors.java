package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.GenesisProtected;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Topic `genesis`: what a ledger can be founded on, and by whom. Parameters that are wrong in
/// themselves are correctly signed by all owners.
final class GenesisVectors {
  private static final String AUTHORITY = "69" + Bytes.utf8("localhost").hex();

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Bytes params = ledger.params().encode();
  private final String note = spki(Fixtures.NOTE);
  private final String receipt = spki(Fixtures.RECEIPT);

  GenesisVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    founders();
    authorities();
    owners();
    serviceKeys();
    fields();
    features();
  }

  private void founders() {
    List<SeededSigner> all = Fixtures.owners();
    set.accept(of("two-owners", params, ledger.genesisAttestation().encode()));
    Bytes one = RequestSigner.signGenesis(ledger.params(), all.subList(0, 1)).encode();
    set.refuse("MISSING", of("one-owner-did-not-sign", params, one));
    List<SeededSigner> more = new ArrayList<>(all);
    more.add(Fixtures.CAROL);
    Bytes three = RequestSigner.signGenesis(ledger.params(), more).encode();
    set.refuse("NOT_A_MEMBER", of("a-stranger-signed-too", params, three));
    Bytes stranger = RequestSigner.signGenesis(ledger.params(), List.of(Fixtures.CAROL)).encode();
    set.refuse("NOT_A_MEMBER", of("founded-in-anothers-name", params, stranger));
    Bytes other =
        RequestSigner.signGenesis(Fixtures.ledger(Fixtures.TIME_MS + 1).params(), all).encode();
    set.refuse("COMMITMENT_MISMATCH", of("signed-for-another-ledger", params, other));
    Bytes bent = sign(params, all, signature -> Forge.flipBit(signature, 40));
    set.refuse("BAD_SIGNATURE", of("signature-bent", params, bent));
    Bytes request = attest(all, signer -> Forge.sign(signer, requestHeader(signer), params));
    set.refuse("WRONG_TYPE", of("signed-as-a-request", params, request));
    Bytes detached =
        attest(all, signer -> Forge.withPayload(Forge.sign(signer, header(signer), params), null));
    set.refuse("MALFORMED", of("params-detached", params, detached));
    Bytes crit =
        attest(
            all,
            signer ->
                Forge.sign(
                    signer,
                    Forge.append(Forge.replaceStart(header(signer), "a3", "a4"), "19018b01"),
                    params));
    set.refuse("MALFORMED", of("label-more", params, crit));
  }

  private void authorities() {
    set.accept(signed("authority-with-port", authority("a-b.example:8443")));
    malformed("authority-upper-case", authority("Localhost"));
    malformed("authority-with-a-space", authority("local host"));
    malformed("authority-with-a-slash", authority("a/b"));
    malformed("authority-with-a-plus", authority("a+b"));
    malformed("authority-empty", authority(""));
    malformed("authority-with-an-empty-label", authority("a..b"));
    malformed("authority-starting-with-a-hyphen", authority("-a"));
    malformed("authority-with-port-0", authority("a:0"));
    malformed("authority-with-port-65536", authority("a:65536"));
    malformed("authority-with-an-empty-port", authority("a:"));
    malformed("authority-not-ascii", authority("é"));
    malformed("authority-of-129-characters", authority("a".repeat(129)));
    set.accept(signed("authority-of-128-characters", authority("a".repeat(128))));
  }

  private void owners() {
    String first = spki(Fixtures.owners().get(0));
    String second = spki(Fixtures.owners().get(1));
    String both = "82" + first + second;
    malformed("owners-descending", Forge.replace(params, both, "82" + second + first));
    malformed("owner-twice", Forge.replace(params, both, "82" + first + first));
    malformed("no-owner", Forge.replace(params, both, "80"));
    List<SeededSigner> most = ownersByKid(16);
    Bytes sixteen = Forge.replace(params, both, "90" + spkis(most));
    set.accept(of("16-owners", sixteen, sign(sixteen, most, signature -> signature)));
    malformed("17-owners", Forge.replace(params, both, "91" + spkis(ownersByKid(17))));
    Bytes compressed =
        Bytes.fromHex(
            "3039301306072a8648ce3d020106082a8648ce3d030107032200" + "02" + "11".repeat(32));
    malformed("owner-p256-compressed", Forge.replace(params, both, "81583b" + compressed.hex()));
    malformed("owner-key-of-43-bytes", Forge.replace(params, both, "81582b" + "30".repeat(43)));
    Bytes weak = Forge.replace(params, both, "81" + smallOrder());
    set.refuse("WRONG_KEY", signed("owner-key-of-small-order", weak));
  }

  private void serviceKeys() {
    String both = "82" + note + receipt;
    malformed("note-key-is-the-receipt-key", Forge.replace(params, both, "82" + note + note));
    malformed("one-service-key", Forge.replace(params, both, "81" + note));
    malformed(
        "note-key-es256",
        Forge.replace(params, both, "82" + spki(SeededSigner.es256("n")) + receipt));
    malformed(
        "receipt-key-es256",
        Forge.replace(params, both, "82" + note + spki(SeededSigner.es256("n"))));
    malformed(
        "receipt-key-is-an-owners",
        Forge.replace(params, both, "82" + note + spki(Fixtures.ALICE)));
    malformed(
        "note-key-is-an-owners",
        Forge.replace(params, both, "82" + spki(Fixtures.ALICE) + receipt));
    set.refuse(
        "WRONG_KEY",
        signed(
            "note-key-of-small-order", Forge.replace(params, both, "82" + smallOrder() + receipt)));
    set.refuse(
        "WRONG_KEY",
        signed(
            "receipt-key-of-small-order", Forge.replace(params, both, "82" + note + smallOrder())));
  }

  private void fields() {
    malformed("version-2", Forge.replaceStart(params, "8c01", "8c02"));
    malformed("bytes-left-over", Forge.append(params, "00"));
    malformed(
        "one-item-less", Bytes.fromHex("8b" + tail("f401" + "19ea60" + "a0").hex().substring(2)));
    String random = "5820" + ledger.params().random().hex();
    malformed("random-of-31-bytes", Forge.replace(params, random, "581f" + random.substring(6)));
    malformed("public-is-a-number", tail("00" + "01" + "19ea60" + "a0f6"));
    malformed("no-strand", tail("f4" + "00" + "19ea60" + "a0f6"));
    malformed("window-0", tail("f4" + "01" + "00" + "a0f6"));
    malformed("window-above-30-days", tail("f4" + "01" + "1a9a7ec801" + "a0f6"));
    set.accept(signed("public-ledger", tail("f5" + "01" + "19ea60" + "a0f6")));
  }

  private void features() {
    String start = "f4" + "01" + "19ea60";
    String state = "851a000f424001182e183001";
    set.accept(signed("clue-trie", tail(start + "a10101" + "f6")));
    set.accept(signed("clue-trie-and-state-forest", tail(start + "a201010201" + state)));
    malformed("feature-6", tail(start + "a10601" + "f6"));
    set.accept(signed("style-delegated", tail(start + "a10401" + "f6")));
    set.accept(signed("style-permanent", tail(start + "a10501" + "f6")));
    malformed("mono-with-two-owners", tail(start + "a10301" + "f6"));
    Bytes mono =
        Forge.replace(
            tail(start + "a2010103" + "01" + "f6"),
            "82" + spkis(Fixtures.owners()),
            "81" + spki(Fixtures.ALICE));
    set.accept(of("style-mono", mono, sign(mono, List.of(Fixtures.ALICE), signature -> signature)));
    malformed("feature-version-2", tail(start + "a10102" + "f6"));
    malformed("features-descending", tail(start + "a202010101" + state));
    malformed("feature-twice", tail(start + "a201010101" + "f6"));
    malformed("state-params-without-feature", tail(start + "a0" + state));
    malformed("state-forest-without-params", tail(start + "a10201" + "f6"));
    malformed(
        "state-params-of-split-rule-2", tail(start + "a10201" + state.substring(0, 22) + "02"));
  }

  private Bytes tail(String hex) {
    return Forge.replace(params, "f40119ea60a0f6", hex);
  }

  private Bytes authority(String value) {
    Bytes text = new CborWriter().text(value).toBytes();
    return Forge.replace(params, AUTHORITY, text.hex());
  }

  private static List<SeededSigner> ownersByKid(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> SeededSigner.ed25519("owner " + i))
        .sorted(Comparator.comparing(signer -> signer.publicKey().kid()))
        .toList();
  }

  private static String spkis(List<SeededSigner> signers) {
    return signers.stream().map(GenesisVectors::spki).collect(Collectors.joining());
  }

  private static String smallOrder() {
    return "582c" + Forge.smallOrderKey().spki().hex();
  }

  private static String spki(Signer signer) {
    Bytes spki = signer.publicKey().spki();
    return (spki.size() == 44 ? "582c" : "585b") + spki.hex();
  }

  private static Bytes header(Signer signer) {
    PublicKey key = signer.publicKey();
    return new GenesisProtected(key.algorithm(), key.kid()).encode();
  }

  private Bytes requestHeader(Signer signer) {
    PublicKey key = signer.publicKey();
    return new RequestProtected(key.algorithm(), key.kid(), ledger.strand()).encode();
  }

  private static Bytes sign(
      Bytes signedParams, Collection<SeededSigner> signers, Function<Bytes, Bytes> change) {
    return attest(
        signers,
        signer -> {
          CoseSign1 message = Forge.sign(signer, header(signer), signedParams);
          return Forge.withSignature(message, change.apply(message.signature()));
        });
  }

  private static Bytes attest(Collection<SeededSigner> signers, Function<Signer, CoseSign1> sign) {
    return Attestation.of(signers.stream().map(sign).toList()).encode();
  }

  private void malformed(String name, Bytes changed) {
    set.refuse("MALFORMED", signed(name, changed));
  }

  /// Changed parameters, correctly signed by Alice and Bob.
  private static VectorCase signed(String name, Bytes changed) {
    return of(name, changed, sign(changed, Fixtures.owners(), signature -> signature));
  }

  private static VectorCase of(String name, Bytes params, Bytes attestation) {
    return VectorCase.of("genesis/" + name, "genesis", name.replace('-', ' '))
        .with("params", params)
        .with("attestation", attestation);
  }
}
