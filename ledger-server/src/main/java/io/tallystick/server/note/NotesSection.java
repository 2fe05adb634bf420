package io.tallystick.server.note;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.SectionBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// The notes section of a frame; nothing if there are none. Source: `docs/formats/commit-frame.md`,
/// "Notes".
public final class NotesSection {
  private NotesSection() {}

  public static void write(List<Note> notes, SectionBuffer into) {
    if (notes.isEmpty()) {
      return;
    }
    CborWriter out = new CborWriter(256).array(notes.size());
    for (Note note : notes) {
      out.array(3).bytes(note.key());
      if (note.value() == null) {
        out.nil();
      } else {
        out.bytes(note.value());
      }
      if (note.before() == null) {
        out.nil();
      } else {
        out.digest(note.before());
      }
    }
    into.put(out.buffer(), 0, out.length());
  }

  /// @param section not consumed
  /// @throws MalformedException unless it is the one encoding of notes that this software knows
  public static List<Note> read(ByteBuffer section) throws MalformedException {
    if (!section.hasRemaining()) {
      return List.of();
    }
    byte[] bytes = new byte[section.remaining()];
    section.get(section.position(), bytes);
    CborReader in = new CborReader(bytes);
    int count = in.arrayAtMost("notes", FrameHeader.MAX_FRAME_BYTES);
    if (count == 0) {
      throw new MalformedException("a notes section without notes");
    }
    List<Note> notes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("note", 3);
      Bytes key = Bytes.wrap(in.bytes("key", Note.KEY_BYTES_MAX));
      Bytes value = in.nil() ? null : Bytes.wrap(in.bytes("value", Note.VALUE_BYTES_MAX));
      Digest before = in.nil() ? null : in.digest();
      try {
        notes.add(new Note(key, value, before));
      } catch (IllegalArgumentException e) {
        throw new MalformedException("note " + i + ": " + e.getMessage(), e);
      }
    }
    in.end();
    return List.copyOf(notes);
  }
}
