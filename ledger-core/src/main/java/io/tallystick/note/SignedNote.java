package io.tallystick.note;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A text with its signature lines. Source: C2SP signed-note.
///
/// @param text ends with a newline, which is signed too
public record SignedNote(String text, List<NoteSignature> signatures) {
  /// 16 post-quantum signatures of 5 kB fit, as C2SP wants.
  public static final int NOTE_BYTES_MAX = 128 * 1024;

  public static final int SIGNATURES_MAX = 16;

  private static final String BLANK_LINE = "\n\n";

  public SignedNote {
    signatures = List.copyOf(signatures);
    if (text.isEmpty() || text.charAt(text.length() - 1) != '\n') {
      throw new IllegalArgumentException("a note's text ends with a newline");
    }
    if (signatures.isEmpty() || signatures.size() > SIGNATURES_MAX) {
      throw new IllegalArgumentException(
          signatures.size() + " signatures, want 1 to " + SIGNATURES_MAX);
    }
  }

  public static SignedNote sign(String text, NoteKey key, Signer signer) {
    if (!signer.publicKey().equals(key.key())) {
      throw new IllegalArgumentException("the signer does not have the key of " + key.name());
    }
    Bytes signature = Bytes.wrap(signer.sign(Utf8.encode(text)));
    return new SignedNote(text, List.of(new NoteSignature(key.name(), key.id(), signature)));
  }

  /// The same note with a line of another key behind those that are there.
  public SignedNote alsoSigned(NoteKey key, Signer signer) {
    List<NoteSignature> more = new ArrayList<>(signatures);
    more.addAll(sign(text, key, signer).signatures());
    return new SignedNote(text, more);
  }

  public static SignedNote decode(Bytes note) throws MalformedException {
    if (note.size() > NOTE_BYTES_MAX) {
      throw new MalformedException("note of " + note.size() + " bytes, at most " + NOTE_BYTES_MAX);
    }
    String all = utf8(note);
    if (all.chars().anyMatch(character -> character < ' ' && character != '\n')) {
      throw new MalformedException("note holds a control character");
    }
    int blank = all.lastIndexOf(BLANK_LINE);
    if (blank < 0) {
      throw new MalformedException("no blank line between text and signatures");
    }
    String lines = all.substring(blank + BLANK_LINE.length());
    if (lines.isEmpty() || !lines.endsWith("\n")) {
      throw new MalformedException("no signature line, or the last one has no newline");
    }
    return new SignedNote(all.substring(0, blank + 1), signatures(lines));
  }

  /// Signature lines alone, as a witness answers.
  ///
  /// @param lines each ended by a newline; at most {@link #SIGNATURES_MAX}
  public static List<NoteSignature> signatures(String lines) throws MalformedException {
    List<NoteSignature> signatures = new ArrayList<>();
    for (int from = 0; from < lines.length(); ) {
      if (signatures.size() == SIGNATURES_MAX) {
        throw new MalformedException("more than " + SIGNATURES_MAX + " signatures");
      }
      int newline = lines.indexOf('\n', from);
      if (newline < 0) {
        throw new MalformedException("the last signature line has no newline");
      }
      signatures.add(NoteSignature.parse(lines.substring(from, newline)));
      from = newline + 1;
    }
    return signatures;
  }

  /// The same text with these lines alone behind it.
  public SignedNote with(List<NoteSignature> lines) {
    return new SignedNote(text, lines);
  }

  /// The same text with the lines of one key alone.
  public SignedNote byAlone(NoteKey key) {
    return with(signatures.stream().filter(line -> line.isBy(key)).toList());
  }

  /// Every line of `key` must verify, and there must be one. Other lines are ignored, also those
  /// that share only the name or only the id with `key`.
  ///
  /// @throws ProofRejectedException with `WRONG_KEY` if `key` did not sign, `BAD_SIGNATURE` if a
  ///   line of it fails
  public void verify(NoteKey key, Signatures verifier) throws ProofRejectedException {
    boolean signed = false;
    for (NoteSignature signature : signatures) {
      if (signature.isBy(key)) {
        verifier.verify(key.key(), Utf8.encode(text), signature.signature().toArray());
        signed = true;
      }
    }
    if (!signed) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "no signature by " + key.name() + " with id " + key.id());
    }
  }

  public Bytes encode() {
    StringBuilder note = new StringBuilder(text).append('\n');
    for (NoteSignature signature : signatures) {
      note.append(signature.line());
    }
    return Bytes.utf8(note.toString());
  }

  private static String utf8(Bytes note) throws MalformedException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(note.unsafeArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new MalformedException("note is not UTF-8", e);
    }
  }
}
