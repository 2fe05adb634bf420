package io.tallystick.testkit;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.note.Cosignature;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.WitnessKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A witness that cosigns whatever it is shown, for tests only.
public record TestWitness(String name, Signer signer) {
  public static TestWitness of(String name) {
    return new TestWitness(name, SeededSigner.ed25519("witness " + name));
  }

  public WitnessKey key() {
    return new WitnessKey(name, signer.publicKey());
  }

  /// The line that it would answer with.
  public NoteSignature line(String text, long timeSeconds) {
    byte[] signature = signer.sign(Cosignature.message(text, timeSeconds));
    ByteBuffer stamped = ByteBuffer.allocate(Long.BYTES + signature.length);
    stamped.putLong(timeSeconds).put(signature);
    return new NoteSignature(name, key().id(), Bytes.wrap(stamped.array()));
  }

  /// The note with its line behind all others.
  public SignedNote cosign(SignedNote note, long timeSeconds) {
    List<NoteSignature> lines = new ArrayList<>(note.signatures());
    lines.add(line(note.text(), timeSeconds));
    return note.with(lines);
  }

  /// The note's text with its line behind all others.
  public String cosigned(Bytes note, long timeSeconds) {
    try {
      Bytes cosigned = cosign(SignedNote.decode(note), timeSeconds).encode();
      return new String(cosigned.toArray(), StandardCharsets.UTF_8);
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /// What it signs.
  static String message(String text, long timeSeconds) {
    return new String(Cosignature.message(text, timeSeconds), StandardCharsets.UTF_8);
  }
}
