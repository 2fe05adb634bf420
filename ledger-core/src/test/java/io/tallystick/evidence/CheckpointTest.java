package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.HeadEvidence;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Signed notes and checkpoints: the one text and the one encoding, C2SP's rule on unknown lines,
/// and every other form refused.
class CheckpointTest {
  private static final String PETER_NEUMANN =
      "1a5cd907143c384c41e830c5bce12aa8817ec5649aaabf2c31388b35b2d744d6";

  private final ReferenceLedger log = ReferenceLedger.sample();
  private final Signatures signatures = new JdkSignatures(new SplittableRandom(1));
  private final Bytes note = log.checkpoint(12);
  private final String origin = log.keys().authority().origin(log.strand());

  @Test
  void statesTheSignedHead() throws ProofRejectedException {
    SignedHead head = verify(note);
    assertThat(head)
        .isEqualTo(
            new SignedHead(
                log.strand(),
                new TreeSize(12),
                log.rootAt(12),
                new HeadEvidence.CheckpointNote(note)));
  }

  @Test
  void encodesWhatItDecodes() throws MalformedException {
    assertThat(SignedNote.decode(note).encode()).isEqualTo(note);
    Checkpoint checkpoint = new Checkpoint(origin, new TreeSize(12), log.rootAt(12));
    assertThat(Checkpoint.parse(checkpoint.text())).isEqualTo(checkpoint);
  }

  /// The note and key in the documentation of Go's sumdb/note.
  @Test
  void verifiesANoteThatForeignCodeSigned() throws MalformedException, ProofRejectedException {
    String text =
        """
        If you think cryptography is the answer to your problem,
        then you don't know what your problem is.
        """;
    String line =
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    byte[] raw = HexFormat.of().parseHex(PETER_NEUMANN);
    NoteKey key = new NoteKey("PeterNeumann", PublicKey.ofSpki(PublicKey.ed25519Spki(raw)));
    assertThat(key.vkey())
        .isEqualTo("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
    SignedNote.decode(Bytes.utf8(text + "\n" + line)).verify(key, signatures);
  }

  @Test
  void noticesEveryFlippedBit() {
    Rejections.assertEveryBitCounts(note, this::verify);
    Rejections.assertEveryByteCounts(note, this::verify);
  }

  @Test
  void ignoresLinesOfUnknownKeys() throws MalformedException, ProofRejectedException {
    SignedNote signed = SignedNote.decode(note);
    NoteSignature ours = signed.signatures().getFirst();
    NoteSignature otherName = new NoteSignature("witness.example", ours.keyId(), ours.signature());
    NoteSignature otherId =
        new NoteSignature(ours.name(), Bytes.fromHex("00000000"), Bytes.fromHex("ff"));
    verify(new SignedNote(signed.text(), List.of(otherName, ours, otherId)).encode());
    Rejections.assertRejected(
        Reason.WRONG_KEY,
        () -> verify(new SignedNote(signed.text(), List.of(otherName, otherId)).encode()));
  }

  @Test
  void rejectsABadLineOfAKnownKeyBesideAGoodOne() throws MalformedException {
    SignedNote signed = SignedNote.decode(note);
    NoteSignature ours = signed.signatures().getFirst();
    NoteSignature bad =
        new NoteSignature(ours.name(), ours.keyId(), Rejections.flipBit(ours.signature(), 3));
    Rejections.assertRejected(
        Reason.BAD_SIGNATURE,
        () -> verify(new SignedNote(signed.text(), List.of(ours, bad)).encode()));
  }

  @Test
  void rejectsAnotherOriginKeyOrLedger() {
    StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
    Rejections.assertRejected(
        Reason.WRONG_ORIGIN, () -> Checkpoint.verify(note, other, log.keys(), signatures));
    ServiceKeys moved =
        new ServiceKeys(new Authority("elsewhere"), log.keys().noteKey(), log.keys().receiptKey());
    Rejections.assertRejected(
        Reason.WRONG_ORIGIN, () -> Checkpoint.verify(note, log.strand(), moved, signatures));
    ServiceKeys swapped =
        new ServiceKeys(log.keys().authority(), log.keys().receiptKey(), log.keys().noteKey());
    Rejections.assertRejected(
        Reason.WRONG_KEY, () -> Checkpoint.verify(note, log.strand(), swapped, signatures));
  }

  @Test
  void rejectsASizeNoTreeHas() throws ProofRejectedException {
    for (long size : new long[] {0, TreeGeometry.SIZE_MAX + 1, Long.MAX_VALUE}) {
      Rejections.assertRejected(Reason.SIZE_OUT_OF_RANGE, () -> verify(signed(size)));
    }
    for (long size : new long[] {1, TreeGeometry.SIZE_MAX}) {
      assertThat(verify(signed(size)).size().value()).isEqualTo(size);
    }
  }

  @Test
  void refusesEveryOtherText() {
    String root = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    for (String text :
        List.of(
            "",
            "a\n12\n",
            "a\n12\n" + root,
            "a\n12\n" + root + "\n\n",
            "a\n12\n" + root + "\nextension\n",
            "\n12\n" + root + "\n",
            "a\n012\n" + root + "\n",
            "a\n+12\n" + root + "\n",
            "a\n-1\n" + root + "\n",
            "a\n\n" + root + "\n",
            "a\n12 \n" + root + "\n",
            "a\n١٢\n" + root + "\n",
            "a\n9223372036854775808\n" + root + "\n",
            "a\n12\n" + root.replace("=", "") + "\n",
            "a\n12\n" + root.replace("A=", "B=") + "\n",
            "a\n12\n" + root.replace('A', '_') + "\n",
            "a\n12\nAAAA\n",
            "a\n12\n \n")) {
      Rejections.assertMalformed(() -> Checkpoint.parse(text));
    }
    assertThatThrownBy(() -> Checkpoint.parse("a\n12\n"))
        .hasMessage("checkpoint text of 2 lines, want exactly 3");
  }

  @Test
  void refusesToStateAHeadUnderAnOriginThatIsNoLine() {
    for (String bad : List.of("", "\na", "a\nb")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Checkpoint(bad, new TreeSize(12), log.rootAt(12)));
    }
  }

  @Test
  void refusesEveryOtherNote() {
    String text = "a\n";
    String line = "— name AAAAAAA=\n";
    for (String spoiled :
        List.of(
            text,
            text + line,
            text + "\n",
            text + "\n" + line.stripTrailing(),
            text + "\n" + line + "\n" + line + "\n",
            text + "\n" + line.replace("—", "-"),
            text + "\n" + line.replace("— ", "—"),
            text + "\n" + "— name\n",
            text + "\n" + "—  AAAAAAA=\n",
            text + "\n" + line.replace("name", "na+me"),
            text + "\n" + line.replace("name", "na\u00a0me"),
            text + "\n" + line.replace("name", "na\u0085me"),
            text + "\n" + "— name AAAAAA==\n",
            text + "\n" + "— name AAAAAAB=\n",
            text + "\n" + "— name AAAAAAA\n",
            text + "\n" + "— name AAAAAAA= \n",
            text + "\n" + line.replace("\n", "\r\n"),
            "a\tb\n" + "\n" + line,
            text + "\n" + line.repeat(17))) {
      Rejections.assertMalformed(() -> SignedNote.decode(Bytes.utf8(spoiled)));
    }
    byte[] notUtf8 = (text + "\n" + line).getBytes(StandardCharsets.UTF_8);
    notUtf8[0] = (byte) 0xff;
    Rejections.assertMalformed(() -> SignedNote.decode(Bytes.wrap(notUtf8)));
  }

  @Test
  void keepsEmptyLinesInsideTheText() throws MalformedException {
    SignedNote note = SignedNote.decode(Bytes.utf8("a\n\nb\n\n— name AAAAAAA=\n"));
    assertThat(note.text()).isEqualTo("a\n\nb\n");
    assertThat(SignedNote.decode(Bytes.utf8("\n\n— name AAAAAAA=\n")).text()).isEqualTo("\n");
  }

  @Test
  void takesTheLongestNoteAndNoByteMore() throws MalformedException {
    String tail = "\n\n— name AAAAAAA=\n";
    String text = "a".repeat(SignedNote.NOTE_BYTES_MAX - Bytes.utf8(tail).size());
    Bytes longest = Bytes.utf8(text + tail);
    assertThat(SignedNote.decode(longest).encode()).isEqualTo(longest);
    Rejections.assertMalformed(() -> SignedNote.decode(Bytes.utf8("a" + text + tail)));
  }

  @Test
  void namesNoKeyAsNoLineCould() {
    PublicKey key = Fixtures.NOTE.publicKey();
    assertThat(new NoteKey("a".repeat(512), key).name()).hasSize(512);
    for (String bad : List.of("", "a".repeat(513), "a+b", "a b", "a\nb")) {
      assertThatIllegalArgumentException().isThrownBy(() -> new NoteKey(bad, key));
    }
  }

  /// C2SP: sixteen signatures must be accepted, of 5 kB each.
  @Test
  void takesSixteenLargeSignatures() throws MalformedException {
    NoteSignature large =
        new NoteSignature("pq.example", Bytes.fromHex("01020304"), Bytes.wrap(new byte[5000]));
    SignedNote note = new SignedNote("a\n", new ArrayList<>(Collections.nCopies(16, large)));
    assertThat(SignedNote.decode(note.encode())).isEqualTo(note);
  }

  @Test
  void refusesToSignWithAKeyThatIsNotNamed() {
    NoteKey key = new NoteKey("name", Fixtures.NOTE.publicKey());
    assertThatThrownBy(() -> SignedNote.sign("a\n", key, SeededSigner.ed25519("other")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Bytes signed(long size) {
    return Checkpoint.sign(
            Fixtures.NOTE, log.keys().authority(), log.strand(), new TreeSize(size), log.rootAt(12))
        .encode();
  }

  private SignedHead verify(Bytes encoded) throws ProofRejectedException {
    return Checkpoint.verify(encoded, log.strand(), log.keys(), signatures);
  }
}
