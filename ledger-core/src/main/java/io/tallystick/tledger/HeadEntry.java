package io.tallystick.tledger;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A ledger's head as an entry of a T-Ledger: `[22, note, seal leaf, [path…], [from size, [path…]]
/// | nil]`. A checkpoint states no time, so the seal that closes the head comes with it.
///
/// @param note the checkpoint, with the service's line alone
/// @param sealLeaf the last leaf under the head
/// @param sealPath of that leaf, from the leaf up
/// @param growth from the ledger's last head in the T-Ledger; absent with its first one. A head
///   that is entered again grew from itself, by no hashes
public record HeadEntry(
    Bytes note, Bytes sealLeaf, List<Digest> sealPath, Optional<Growth> growth) {
  /// The content type of the request that carries an entry.
  public static final String CONTENT_TYPE = "application/vnd.tallystick.head+cbor";

  /// How far the seal's time may be ahead of that of the entry's leaf. It may be behind by any
  /// time: the leaf's time alone says by when the head existed.
  public static final long SEAL_SKEW_MS_MAX = 1_000;

  private static final int TYPE = 22;
  private static final int ITEMS = 5;
  private static final int SEAL_BYTES_MAX = 1024;

  public HeadEntry {
    sealPath = List.copyOf(sealPath);
  }

  /// How the log grew since the head before.
  ///
  /// @param from the size of that head
  public record Growth(long from, List<Digest> path) {
    public Growth {
      path = List.copyOf(path);
    }
  }

  /// A head that an entry shows.
  ///
  /// @param sealTimeMs when the service closed it
  public record Verified(SignedHead head, long sealTimeMs) {}

  public Bytes encode() {
    CborWriter out = new CborWriter(512 + note.size() + sealLeaf.size());
    out.array(ITEMS).uint(TYPE).bytes(note).bytes(sealLeaf).array(sealPath.size());
    sealPath.forEach(out::digest);
    if (growth.isEmpty()) {
      return out.nil().toBytes();
    }
    Growth grown = growth.get();
    out.array(2).uint(grown.from()).array(grown.path().size());
    grown.path().forEach(out::digest);
    return out.toBytes();
  }

  public static HeadEntry decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("head entry", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no head entry, want " + TYPE);
    }
    Bytes note = Bytes.wrap(in.bytes("note", SignedNote.NOTE_BYTES_MAX));
    Bytes seal = Bytes.wrap(in.bytes("seal leaf", SEAL_BYTES_MAX));
    List<Digest> path = path(in, "path of the seal");
    Optional<Growth> growth = Optional.empty();
    if (!in.nil()) {
      in.array("growth", 2);
      growth = Optional.of(new Growth(in.uint(), path(in, "path of the growth")));
    }
    in.end();
    return new HeadEntry(note, seal, path, growth);
  }

  private static List<Digest> path(CborReader in, String name) throws MalformedException {
    int count = in.arrayAtMost(name, TreeGeometry.PATH_HASHES_MAX);
    List<Digest> path = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      path.add(in.digest());
    }
    return path;
  }

  /// Checks all but the time: whoever takes the entry compares the seal's with its clock.
  ///
  /// @param strand whose head it is
  /// @param keys of its service
  /// @param last the strand's head in the T-Ledger before; empty if there is none
  /// @throws ProofRejectedException as {@link #verifyAlone} and {@link #checkGrowth}
  public Verified verify(
      StrandId strand, ServiceKeys keys, Signatures signatures, Optional<SignedHead> last)
      throws ProofRejectedException {
    Verified verified = verifyAlone(strand, keys, signatures);
    checkGrowth(verified.head(), last);
    return verified;
  }

  /// Checks all but the time and how the log grew.
  ///
  /// @throws ProofRejectedException `WRONG_KEY` if another line stands in the note, `WRONG_TYPE`
  ///   unless the last leaf is a seal; as {@link Checkpoint#verify} and {@link
  ///   InclusionProof#verify}
  public Verified verifyAlone(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    try {
      int lines = SignedNote.decode(note).signatures().size();
      if (lines != 1) {
        throw new ProofRejectedException(
            Reason.WRONG_KEY,
            String.format(Locale.ROOT, "a note of %d lines, want the service's alone", lines));
      }
      SignedHead head = Checkpoint.verify(note, strand, keys, signatures);
      SealLeaf seal = seal(head);
      return new Verified(head, seal.timeMs());
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "head entry: " + e.getMessage(), e);
    }
  }

  private SealLeaf seal(SignedHead head) throws MalformedException, ProofRejectedException {
    long index = head.size().value() - 1;
    new InclusionProof(index, head.size().value(), sealPath)
        .verify(Leaf.hash(sealLeaf), head.root());
    if (Leaf.decode(sealLeaf) instanceof SealLeaf seal && seal.jsn().value() == index) {
      return seal;
    }
    throw new ProofRejectedException(
        Reason.WRONG_TYPE, "the last leaf under size " + head.size() + " is no seal");
  }

  /// @param head of this entry
  /// @param last the strand's head in the T-Ledger before; empty if there is none
  /// @throws ProofRejectedException `WRONG_SIZE` if the head is smaller than the last or the growth
  ///   does not start there, `MISSING` if the growth is missing or has nothing to start from; as
  ///   {@link ConsistencyProof#verify}
  public void checkGrowth(SignedHead head, Optional<SignedHead> last)
      throws ProofRejectedException {
    if (last.isEmpty() != growth.isEmpty()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          last.isEmpty()
              ? "a first head cannot have grown from another"
              : "how the log grew from size " + last.get().size() + " is not shown");
    }
    if (last.isEmpty()) {
      return;
    }
    SignedHead before = last.get();
    Growth grown = growth.orElseThrow();
    if (head.size().value() < before.size().value() || grown.from() != before.size().value()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "size %s from %d, the last head has size %s",
              head.size(),
              grown.from(),
              before.size()));
    }
    new ConsistencyProof(grown.from(), head.size().value(), grown.path())
        .verify(before.root(), head.root());
  }
}
