package io.tallystick.audit.tree;

import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;

/// The head of a log that need not be a ledger's, signed by the key its reader pinned. Source: C2SP
/// tlog-checkpoint.
///
/// @param note as it was read
/// @param extensions lines behind the root: signed, and not understood
/// @param others signatures by anybody else: not verified
public record TreeHead(Bytes note, TreeSize size, JournalRoot root, int extensions, int others) {
  private static final int LINES = 3;

  /// @param key its name is the origin that the log must have
  public static TreeHead verify(Bytes note, NoteKey key, Signatures signatures)
      throws ProofRejectedException {
    SignedNote signed;
    Checkpoint checkpoint;
    int extensions;
    try {
      signed = SignedNote.decode(note);
      int end = endOfHead(signed.text());
      checkpoint = Checkpoint.parse(signed.text().substring(0, end));
      extensions = (int) signed.text().substring(end).lines().count();
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "checkpoint: " + e.getMessage(), e);
    }
    if (!checkpoint.origin().equals(key.name())) {
      throw new ProofRejectedException(
          Reason.WRONG_ORIGIN, checkpoint.origin() + ", want " + key.name());
    }
    signed.verify(key, signatures);
    if (checkpoint.size().value() > TreeGeometry.SIZE_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "tree size " + checkpoint.size() + ", want at most 2^62");
    }
    int own = (int) signed.signatures().stream().filter(line -> line.isBy(key)).count();
    return new TreeHead(
        note, checkpoint.size(), checkpoint.root(), extensions, signed.signatures().size() - own);
  }

  /// Behind the third newline, or of all if there are fewer.
  private static int endOfHead(String text) {
    int end = 0;
    for (int line = 0; line < LINES && end < text.length(); line++) {
      end = text.indexOf('\n', end) + 1;
    }
    return end;
  }
}
