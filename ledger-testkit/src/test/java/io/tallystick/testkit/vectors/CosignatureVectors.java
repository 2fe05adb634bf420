package io.tallystick.testkit.vectors;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.note.NoteKey;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.TestWitness;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Topic `cosignature`: the sample log's head of size 12 under two witnesses, both of whom are
/// wanted.
final class CosignatureVectors {
  private static final TestWitness ONE = TestWitness.of("witness.example/1");
  private static final TestWitness TWO = TestWitness.of("witness.example/2");
  private static final long TIME = 1_767_225_600;

  private final VectorSet set;
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final SignedNote plain = decoded(log.checkpoint(12));
  private final NoteSignature first = ONE.line(plain.text(), TIME);
  private final NoteSignature second = TWO.line(plain.text(), TIME + 1);

  CosignatureVectors(VectorSet set) {
    this.set = set;
  }

  private static SignedNote decoded(Bytes note) {
    try {
      return SignedNote.decode(note);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  void make() {
    NoteSignature stranger = TestWitness.of("stranger.example").line(plain.text(), TIME);
    accept("both", "both witnesses", first, second);
    accept("other-order", "the order says nothing", second, first);
    accept("stranger-beside", "a line of nobody's witness is ignored", first, stranger, second);
    accept("one-twice", "the newest counts", ONE.line(plain.text(), TIME - 9), first, second);
    accept("time-0", "the earliest", ONE.line(plain.text(), 0), second);
    accept("time-2-to-63-minus-1", "the latest", ONE.line(plain.text(), Long.MAX_VALUE), second);
    refuse("MISSING", "one-alone", first);
    refuse("MISSING", "one-twice-is-not-two", first, ONE.line(plain.text(), TIME + 5));
    refuse("MISSING", "stranger-instead", first, stranger);
    refuse("MISSING", "none");
    NoteSignature namesake = new TestWitness(TWO.name(), ONE.signer()).line(plain.text(), TIME);
    refuse("MISSING", "name-of-two-by-the-key-of-one", first, namesake);
    NoteKey noteKey = new NoteKey(TWO.name(), TWO.signer().publicKey());
    NoteSignature ofNote =
        SignedNote.sign(plain.text(), noteKey, TWO.signer()).signatures().getFirst();
    refuse("MISSING", "note-signature-of-two", first, ofNote);
    bent();
  }

  private void bent() {
    refuse("BAD_SIGNATURE", "of-another-head", first, TWO.line(head(7).text(), TIME));
    refuse("BAD_SIGNATURE", "good-and-bad-of-two", first, second, TWO.line("a\n", TIME));
    refuse("BAD_SIGNATURE", "time-changed", first, stamped(second, TIME + 2));
    refuse("BAD_SIGNATURE", "by-the-key-of-one", first, with(second, first.signature()));
    refuse("MALFORMED", "time-2-to-63", first, stamped(second, Long.MIN_VALUE));
    int size = second.signature().size();
    refuse("MALFORMED", "a-byte-short", first, with(second, second.signature().slice(0, size - 1)));
    byte[] longer = new byte[size + 1];
    second.signature().copyInto(longer, 0);
    refuse("MALFORMED", "a-byte-long", first, with(second, Bytes.wrap(longer)));
    refuse(
        "MALFORMED",
        "without-a-time",
        first,
        with(second, second.signature().slice(Long.BYTES, size - Long.BYTES)));
  }

  private SignedNote head(int size) {
    return decoded(log.checkpoint(size));
  }

  private static NoteSignature with(NoteSignature line, Bytes signature) {
    return new NoteSignature(line.name(), line.keyId(), signature);
  }

  private static NoteSignature stamped(NoteSignature line, long timeSeconds) {
    byte[] changed = line.signature().toArray();
    ByteBuffer.wrap(changed).putLong(0, timeSeconds);
    return with(line, Bytes.wrap(changed));
  }

  private void accept(String name, String description, NoteSignature... lines) {
    set.accept(made(name, description, lines));
  }

  private void refuse(String reason, String name, NoteSignature... lines) {
    set.refuse(reason, made(name, "refused for what its name says", lines));
  }

  private VectorCase made(String name, String description, NoteSignature... lines) {
    List<NoteSignature> all = new ArrayList<>(plain.signatures());
    all.addAll(List.of(lines));
    return VectorCase.of("cosignature/" + name, "cosignature", description)
        .with("witnesses", List.of(ONE.key().vkey(), TWO.key().vkey()))
        .with("quorum", 2)
        .with("note", plain.with(all).encode());
  }
}
