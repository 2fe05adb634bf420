package io.tallystick.audit.tree;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.TileFiles;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.reference.ReferenceTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A log of somebody else's as C2SP tlog-tiles has it, by RFC 9162's recursive definitions and with
/// nothing of what reads it. Its files may be changed.
final class ForeignLog implements TileFiles {
  static final String ORIGIN = "example.com/others";
  static final Signer SIGNER = SeededSigner.ed25519("a log of others");
  static final NoteKey KEY = new NoteKey(ORIGIN, SIGNER.publicKey());

  private static final int WIDTH = 256;

  private final Map<String, Bytes> files = new HashMap<>();
  private final ReferenceTree tree;

  private ForeignLog(List<Bytes> entries) {
    tree = new ReferenceTree(entries);
  }

  /// Entries of several lengths: none, short, and as long as they may be.
  static ForeignLog of(int size) {
    List<Bytes> entries = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      entries.add(
          switch (i % 500) {
            case 7 -> Bytes.EMPTY;
            case 8 -> Bytes.wrap(new byte[(1 << 16) - 1]);
            default -> Bytes.utf8("entry " + i);
          });
    }
    ForeignLog log = new ForeignLog(entries);
    log.write();
    return log;
  }

  private void write() {
    int size = tree.size();
    put("checkpoint", note(size));
    for (int from = 0; from < size; from += WIDTH) {
      int to = Math.min(size, from + WIDTH);
      byte[] bundle = new byte[0];
      for (int i = from; i < to; i++) {
        int length = tree.data(i).size();
        bundle = join(bundle, new byte[] {(byte) (length >> 8), (byte) length});
        bundle = join(bundle, tree.data(i).toArray());
      }
      put("tile/entries/" + name(from / WIDTH, to - from), Bytes.wrap(bundle));
    }
    int span = 1;
    for (int level = 0; size / span > 0; level++, span *= WIDTH) {
      int hashes = size / span;
      for (int from = 0; from < hashes; from += WIDTH) {
        int to = Math.min(hashes, from + WIDTH);
        byte[] tile = new byte[0];
        for (int i = from; i < to; i++) {
          tile = join(tile, tree.root(i * span, (i + 1) * span).toArray());
        }
        put("tile/" + level + "/" + name(from / WIDTH, to - from), Bytes.wrap(tile));
      }
    }
  }

  private static String name(int number, int width) {
    return String.format(Locale.ROOT, "%03d", number) + (width == WIDTH ? "" : ".p/" + width);
  }

  private static byte[] join(byte[] a, byte[] b) {
    byte[] both = new byte[a.length + b.length];
    System.arraycopy(a, 0, both, 0, a.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  /// What the log signed when it had so many entries.
  Bytes note(int size) {
    return sign(new Checkpoint(ORIGIN, new TreeSize(size), new JournalRoot(root(size))).text());
  }

  Digest root(int size) {
    return size == 0 ? TreeHasher.EMPTY_ROOT : tree.root(size);
  }

  /// @param text of a checkpoint
  static Bytes sign(String text) {
    return SignedNote.sign(text, KEY, SIGNER).encode();
  }

  void put(String path, Bytes content) {
    files.put(path, content);
  }

  void remove(String path) {
    files.remove(path);
  }

  Bytes file(String path) {
    Bytes file = files.get(path);
    if (file == null) {
      throw new IllegalArgumentException("there is no " + path);
    }
    return file;
  }

  /// One bit of a file, from its end where `at` is negative.
  void flip(String path, int at) {
    byte[] content = file(path).toArray();
    content[at < 0 ? content.length + at : at] ^= 1;
    put(path, Bytes.wrap(content));
  }

  @Override
  public Optional<Bytes> read(String path, int bytesMax) throws IOException, LogFormatException {
    Optional<Bytes> file = Optional.ofNullable(files.get(path));
    if (file.isPresent() && file.get().size() > bytesMax) {
      throw LogFormatException.malformed(path + " is longer than " + bytesMax + " bytes");
    }
    return file;
  }
}
