package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each decoder accepts one encoding and fails in one way. Method: every value of every byte
/// of a valid encoding; what still decodes must encode to the same bytes, anything else must be a
/// {@link MalformedException}.
class MutationTest {
  private static final Sample SAMPLE = new Sample();
  private static final Digest HASH = Digest.fromHex("ab".repeat(32));

  @FunctionalInterface
  interface Codec {
    Bytes reencode(Bytes encoded) throws MalformedException;
  }

  record Case(String name, Bytes encoded, Codec codec) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() {
    SignedRequest request = SAMPLE.draft("x").withClues(List.of("a", "b")).build();
    Attestation attestation = SAMPLE.attest(List.of(request));
    CoseSign1 message = attestation.signatures().getFirst();
    Bytes protectedHeader = message.protectedHeader();
    Extension add = new Extension.MemberAdd(Role.OWNER, SAMPLE.owners.get(0).publicKey());
    Bytes governance =
        RequestDraft.govern(SAMPLE.strand, Kind.MEMBER_ADD, add, Sample.TIME_MS, SAMPLE.salt())
            .build()
            .header();
    Op op = new Op.Put(Bytes.utf8("k"), HASH, 3, new Precondition.IfVersion(new Jsn(7)));
    Op delete = new Op.Delete(Bytes.utf8("k"), new Precondition.IfAbsent());
    Leaf journal = new JournalLeaf(new Jsn(2), Sample.TIME_MS, request.header(), HASH, 1, 3);
    Leaf seal = SealLeaf.of(new Jsn(4), Sample.TIME_MS, 1, HASH, new Jsn(2), HASH);
    return List.of(
        new Case("header", request.header(), b -> RequestHeader.decode(b).encode()),
        new Case("member add", governance, b -> RequestHeader.decode(b).encode()),
        header(Kind.KEY_ROTATION, TrustSamples.rotation()),
        header(Kind.TIME, TrustSamples.token()),
        header(Kind.TIME, TrustSamples.tLedger()),
        header(Kind.GRANT, TrustSamples.grant()),
        header(Kind.CLOSE, Extension.Close.INSTANCE),
        new Case("body", request.body(), b -> Body.decode(b).encode()),
        new Case("put", op.encode(), b -> Op.decode(b).encode()),
        new Case("delete", delete.encode(), b -> Op.decode(b).encode()),
        new Case("journal leaf", journal.encode(), b -> Leaf.decode(b).encode()),
        new Case("seal leaf", seal.encode(), b -> Leaf.decode(b).encode()),
        new Case("genesis", SAMPLE.params.encode(), b -> GenesisParams.decode(b).encode()),
        new Case("attestation", attestation.encode(), b -> Attestation.decode(b).encode()),
        new Case("COSE_Sign1", message.encode(), b -> CoseSign1.decode(b).encode()),
        new Case("protected", protectedHeader, b -> ProtectedHeader.decode(b).encode()));
  }

  private static Case header(Kind kind, Extension extension) {
    Bytes header =
        RequestDraft.govern(SAMPLE.strand, kind, extension, Sample.TIME_MS, SAMPLE.salt())
            .build()
            .header();
    String name = kind + " " + extension.getClass().getSimpleName();
    return new Case(name, header, b -> RequestHeader.decode(b).encode());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyMutationIsCanonicalOrMalformed(Case example) throws MalformedException {
    assertThat(example.codec.reencode(example.encoded)).isEqualTo(example.encoded);
    byte[] bytes = example.encoded.toArray();
    int refused = 0;
    for (int at = 0; at < bytes.length; at++) {
      byte original = bytes[at];
      for (int value = 0; value < 256; value++) {
        bytes[at] = (byte) value;
        refused += refused(example, Bytes.copyOf(bytes));
      }
      bytes[at] = original;
    }
    assertThat(refused).isGreaterThan(bytes.length);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyTruncationIsMalformed(Case example) {
    for (int size = 0; size < example.encoded.size(); size++) {
      assertThat(refused(example, example.encoded.slice(0, size))).as("cut at %d", size).isOne();
    }
  }

  @Test
  void aSaltNeverShowsInText() {
    SignedRequest request = SAMPLE.draft("secret").build();
    assertThat(request.toString())
        .doesNotContain(request.salt().hex().substring(0, 8))
        .contains(RequestHeader.hash(request.header()).toString());
  }

  /// 1 if it was refused as it must be, 0 if it was accepted as canonical.
  private static int refused(Case example, Bytes mutated) {
    try {
      if (!example.codec.reencode(mutated).equals(mutated)) {
        throw new AssertionError("accepted but not canonical: " + mutated.hex());
      }
      return 0;
    } catch (MalformedException e) {
      return 1;
    }
  }
}
