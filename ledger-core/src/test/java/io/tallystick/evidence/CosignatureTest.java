package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.Cosignature;
import io.tallystick.note.NoteKey;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.TestWitness;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Cosignatures of witnesses: each key counts once, every line of a known witness must hold, and
/// nothing else in a note makes up for one that is missing.
class CosignatureTest {
  private static final TestWitness EVE = TestWitness.of("eve.example");
  private static final TestWitness FAY = TestWitness.of("fay.example/w");
  private static final long TIME = 1_679_315_147;

  private final ReferenceLedger log = ReferenceLedger.sample();
  private final Signatures signatures = new JdkSignatures(new SplittableRandom(1));
  private final SignedNote note = decoded(log.checkpoint(12));
  private final Witnesses both = new Witnesses(List.of(EVE.key(), FAY.key()), 2);

  private static SignedNote decoded(Bytes note) {
    try {
      return SignedNote.decode(note);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// Source: C2SP tlog-cosignature, "Ed25519 signed message".
  @Test
  void signsTheTextOfTheSpecification() {
    assertThat(new String(Cosignature.message("a\n1\nb\n", TIME), StandardCharsets.UTF_8))
        .isEqualTo("cosignature/v1\ntime 1679315147\na\n1\nb\n");
  }

  @Test
  void findsEachWitnessOnce() throws ProofRejectedException {
    SignedNote cosigned = EVE.cosign(FAY.cosign(EVE.cosign(note, 7), 8), 9);
    assertThat(both.verify(cosigned, signatures))
        .extracting(Cosignature::witness, Cosignature::timeSeconds)
        .containsExactly(tuple(EVE.key(), 9L), tuple(FAY.key(), 8L));
  }

  @Test
  void theSameWitnessTwiceIsNoQuorum() throws ProofRejectedException {
    SignedNote twice = EVE.cosign(EVE.cosign(note, 7), 8);
    assertThat(both.cosignatures(twice, signatures)).hasSize(1);
    Rejections.assertRejected(Reason.MISSING, () -> both.verify(twice, signatures));
    new Witnesses(both.keys(), 1).verify(twice, signatures);
  }

  @Test
  void ignoresWhoIsNotAWitness() {
    SignedNote cosigned = TestWitness.of("stranger.example").cosign(EVE.cosign(note, 7), 8);
    Rejections.assertRejected(Reason.MISSING, () -> both.verify(cosigned, signatures));
    SignedNote namesake = new TestWitness(FAY.name(), EVE.signer()).cosign(note, 7);
    Rejections.assertRejected(Reason.MISSING, () -> both.verify(namesake, signatures));
  }

  /// A note signature (type 1) by the witness' key is none of its cosignatures.
  @Test
  void aPlainSignatureIsNoCosignature() {
    NoteKey plain = new NoteKey(EVE.name(), EVE.signer().publicKey());
    SignedNote signed = SignedNote.sign(note.text(), plain, EVE.signer());
    Witnesses one = new Witnesses(List.of(EVE.key()), 1);
    Rejections.assertRejected(Reason.MISSING, () -> one.verify(signed, signatures));
    NoteSignature line = signed.signatures().getFirst();
    SignedNote relabelled =
        note.with(List.of(new NoteSignature(EVE.name(), EVE.key().id(), line.signature())));
    Rejections.assertRejected(Reason.MALFORMED, () -> one.verify(relabelled, signatures));
  }

  @Test
  void everyBitOfALineCounts() throws ProofRejectedException {
    SignedNote cosigned = EVE.cosign(note, TIME);
    NoteSignature line = cosigned.signatures().getLast();
    Witnesses one = new Witnesses(List.of(EVE.key()), 1);
    one.verify(cosigned, signatures);
    for (int bit = 0; bit < line.signature().size() * 8; bit++) {
      SignedNote bent =
          note.with(
              List.of(
                  new NoteSignature(
                      line.name(), line.keyId(), Rejections.flipBit(line.signature(), bit))));
      assertThat(rejection(one, bent)).isIn(Reason.BAD_SIGNATURE, Reason.MALFORMED);
    }
  }

  private Reason rejection(Witnesses witnesses, SignedNote cosigned) {
    try {
      witnesses.verify(cosigned, signatures);
    } catch (ProofRejectedException e) {
      return e.reason();
    }
    throw new AssertionError("accepted");
  }

  @Test
  void aLineOfAnotherHeadOrABadOneBesideAGoodOneIsRefused() {
    Witnesses one = new Witnesses(List.of(EVE.key()), 1);
    NoteSignature other = EVE.line(decoded(log.checkpoint(7)).text(), TIME);
    SignedNote moved = note.with(List.of(other));
    Rejections.assertRejected(Reason.BAD_SIGNATURE, () -> one.verify(moved, signatures));
    SignedNote mixed = note.with(List.of(EVE.line(note.text(), TIME), other));
    Rejections.assertRejected(Reason.BAD_SIGNATURE, () -> one.verify(mixed, signatures));
  }

  /// The service's own line, and those who read only that, are not disturbed.
  @Test
  void aCosignedNoteIsACheckpointStill() throws ProofRejectedException {
    Bytes cosigned = FAY.cosign(EVE.cosign(note, 7), 8).encode();
    Checkpoint.verify(cosigned, log.strand(), log.keys(), signatures);
  }

  @Test
  void keysHaveTheTextOfTheSpecification() throws MalformedException {
    String vkey = EVE.key().vkey();
    assertThat(vkey).matches("eve\\.example\\+[0-9a-f]{8}\\+B.{43}");
    assertThat(WitnessKey.parse(vkey)).isEqualTo(EVE.key());
    String plain = new NoteKey(EVE.name(), EVE.signer().publicKey()).vkey();
    assertThat(plain).isNotEqualTo(vkey);
    for (String bad :
        List.of(plain, "", "eve.example", vkey.replace("eve", "eva"), vkey + "A", vkey + "+")) {
      Rejections.assertMalformed(() -> WitnessKey.parse(bad));
    }
    Rejections.assertMalformed(() -> NoteKey.parse(vkey));
  }

  @Test
  void refusesQuorumsThatNobodyCanMeet() {
    List<WitnessKey> keys = List.of(EVE.key(), FAY.key());
    for (int quorum : new int[] {-1, 0, 3}) {
      assertThatIllegalArgumentException().isThrownBy(() -> new Witnesses(keys, quorum));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> new Witnesses(List.of(), 1));
    WitnessKey renamed = new WitnessKey("other.example", EVE.key().key());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Witnesses(List.of(EVE.key(), renamed), 1));
    List<WitnessKey> many =
        IntStream.range(0, Witnesses.COSIGNATURES_MAX + 1)
            .mapToObj(i -> TestWitness.of("w" + i).key())
            .toList();
    assertThatIllegalArgumentException().isThrownBy(() -> new Witnesses(many, 1));
    assertThat(new Witnesses(many.subList(1, many.size()), many.size() - 1).quorum()).isEqualTo(14);
  }

  @Test
  void readsTheLinesOfAnAnswer() throws MalformedException {
    NoteSignature line = EVE.line(note.text(), TIME);
    String answer =
        new String(EVE.cosign(note, TIME).encode().toArray(), StandardCharsets.UTF_8)
            .substring(new String(note.encode().toArray(), StandardCharsets.UTF_8).length());
    assertThat(SignedNote.signatures(answer)).containsExactly(line);
    assertThat(SignedNote.signatures(answer.repeat(16))).isEqualTo(Collections.nCopies(16, line));
    for (String bad :
        List.of(answer.stripTrailing(), "\n", answer + "\n", "x" + answer, answer.repeat(17))) {
      Rejections.assertMalformed(() -> SignedNote.signatures(bad));
    }
  }
}
