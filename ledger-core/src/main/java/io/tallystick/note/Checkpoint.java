package io.tallystick.note;

import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.HeadEvidence;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.model.Utf8;
import java.util.Base64;
import java.util.regex.Pattern;

/// A tree head as a note's text: exactly the three lines origin, size, root. Extension lines are
/// refused, because no auditor could check them. Source: C2SP tlog-checkpoint;
/// `docs/formats/checkpoint.md`.
public record Checkpoint(String origin, TreeSize size, JournalRoot root) {
  private static final Pattern DECIMAL = Pattern.compile("0|[1-9][0-9]{0,18}");
  private static final int LINES = 3;

  public Checkpoint {
    if (origin.isEmpty() || origin.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("origin is empty or holds a newline");
    }
  }

  /// The three lines, each with its newline: what is signed.
  public String text() {
    String base64 = Base64.getEncoder().encodeToString(root.digest().toArray());
    return origin + '\n' + size + '\n' + base64 + '\n';
  }

  /// SHA-256 of the three lines: what a time-stamp authority is shown of a head. So a token of
  /// another ledger, strand or size does not fit.
  public Digest imprint() {
    return Sha256.hash(Utf8.encode(text()));
  }

  public static Checkpoint parse(String text) throws MalformedException {
    String[] lines = text.split("\n", -1);
    if (lines.length != LINES + 1 || !lines[LINES].isEmpty()) {
      throw new MalformedException(
          "checkpoint text of " + (lines.length - 1) + " lines, want exactly " + LINES);
    }
    if (lines[0].isEmpty()) {
      throw new MalformedException("checkpoint without an origin");
    }
    return new Checkpoint(lines[0], parseSize(lines[1]), parseRoot(lines[2]));
  }

  private static TreeSize parseSize(String line) throws MalformedException {
    if (!DECIMAL.matcher(line).matches()) {
      throw new MalformedException("tree size is not a plain decimal number");
    }
    try {
      return new TreeSize(Long.parseLong(line));
    } catch (NumberFormatException e) {
      throw new MalformedException("tree size " + line + " is above 2^63-1", e);
    }
  }

  private static JournalRoot parseRoot(String line) throws MalformedException {
    byte[] root = Base64Text.decode(line);
    if (root.length != Digest.BYTES) {
      throw new MalformedException("root of " + root.length + " bytes, want " + Digest.BYTES);
    }
    return new JournalRoot(Digest.of(root));
  }

  /// The note of a head, signed by the service's note key.
  public static SignedNote sign(
      Signer signer, Authority authority, StrandId strand, TreeSize size, JournalRoot root) {
    String origin = authority.origin(strand);
    NoteKey key = new NoteKey(origin, signer.publicKey());
    return SignedNote.sign(new Checkpoint(origin, size, root).text(), key, signer);
  }

  /// The head a note states, if the service signed it for this strand.
  public static SignedHead verify(
      Bytes note, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    SignedNote signed;
    Checkpoint checkpoint;
    try {
      signed = SignedNote.decode(note);
      checkpoint = parse(signed.text());
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "checkpoint: " + e.getMessage(), e);
    }
    String origin = keys.authority().origin(strand);
    if (!checkpoint.origin.equals(origin)) {
      throw new ProofRejectedException(Reason.WRONG_ORIGIN, checkpoint.origin + ", want " + origin);
    }
    signed.verify(new NoteKey(origin, keys.noteKey(checkpoint.size)), signatures);
    checkSize(checkpoint.size);
    return new SignedHead(
        strand, checkpoint.size, checkpoint.root, new HeadEvidence.CheckpointNote(note));
  }

  private static void checkSize(TreeSize size) throws ProofRejectedException {
    if (size.value() < 1 || size.value() > TreeGeometry.SIZE_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "tree size " + size + ", want 1 to 2^62");
    }
  }
}
