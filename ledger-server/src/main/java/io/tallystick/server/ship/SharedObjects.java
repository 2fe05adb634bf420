package io.tallystick.server.ship;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The objects of a shard that several servers may own: each is a part of a store that holds
/// nothing else, cut into pieces. Nothing of them is on a server's own disk. Thread-safe. Source:
/// `docs/formats/shipped-savepoint.md`, "Objects".
public final class SharedObjects implements ObjectStore {
  private static final int PLACE_FIELDS = 2;
  private static final int PIECE_FIELDS = 3;
  private static final int FIRST_BUFFER_BYTES = 64 << 10;

  private final SavepointStore store;
  private final LongSupplier epoch;
  private final int pieceBytes;

  /// @param store of this shard's objects alone
  /// @param epoch of the newest claim
  public SharedObjects(SavepointStore store, LongSupplier epoch) {
    this(store, epoch, ShippedPiece.BYTES);
  }

  /// @param pieceBytes of each piece but an object's last
  SharedObjects(SavepointStore store, LongSupplier epoch, int pieceBytes) {
    this.store = store;
    this.epoch = epoch;
    this.pieceBytes = pieceBytes;
  }

  @Override
  public ObjectWriter create() throws IOException {
    return new Writer(store.begin(epoch.getAsLong()));
  }

  private static Bytes place(Bytes part, List<ShippedPiece> pieces) {
    CborWriter out = new CborWriter().array(PLACE_FIELDS).bytes(part).array(pieces.size());
    for (ShippedPiece piece : pieces) {
      out.array(PIECE_FIELDS).bytes(piece.name().toBytes()).uint(piece.bytes()).uint(piece.at());
    }
    return out.toBytes();
  }

  private static List<ShippedPiece> pieces(KeptObject object) throws CorruptStreamException {
    try {
      CborReader in = new CborReader(object.place());
      in.array("place", PLACE_FIELDS);
      Bytes part = Bytes.wrap(in.bytes("part", Long.SIZE));
      int count = in.arrayAtMost("pieces", object.place().size());
      List<ShippedPiece> pieces = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        in.array("piece", PIECE_FIELDS);
        Digest name = in.digest();
        int bytes = (int) in.uint("bytes", ShippedPiece.BYTES);
        pieces.add(new ShippedPiece(name, bytes, part, in.uint()));
      }
      in.end();
      if (pieces.isEmpty()) {
        throw new MalformedException("no piece");
      }
      return pieces;
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "place of object " + object.name(), 0, String.valueOf(e.getMessage()), e);
    }
  }

  private static Bytes part(KeptObject object) throws IOException {
    try {
      return pieces(object).getFirst().part();
    } catch (CorruptStreamException e) {
      throw new IOException(e);
    }
  }

  @Override
  public Optional<StoredObject> open(KeptObject object) throws IOException {
    Stored stored = new Stored(object);
    return stored.isThere() ? Optional.of(stored) : Optional.empty();
  }

  @Override
  public void delete(KeptObject object) throws IOException {
    store.delete(part(object));
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public List<Held> list() throws IOException {
    return store.list().stream().map(part -> new Held(part.id(), part.epoch())).toList();
  }

  @Override
  public Bytes idOf(KeptObject object) throws IOException {
    return part(object);
  }

  @Override
  public void delete(Held held) throws IOException {
    store.delete(held.id());
  }

  private final class Writer implements ObjectWriter {
    private final SavepointStore.Upload upload;
    private final MessageDigest sha256 = Sha256.newDigest();
    private final List<ShippedPiece> pieces = new ArrayList<>();
    private byte[] waiting = new byte[Math.min(FIRST_BUFFER_BYTES, pieceBytes)];
    private int count;
    private long written;
    private boolean finished;

    Writer(SavepointStore.Upload upload) {
      this.upload = upload;
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
      sha256.update(bytes.duplicate());
      written += bytes.remaining();
      while (bytes.hasRemaining()) {
        if (count == pieceBytes) {
          putPiece();
        }
        int more = Math.min(bytes.remaining(), pieceBytes - count);
        if (count + more > waiting.length) {
          int doubled = (int) Math.min(pieceBytes, 2L * waiting.length);
          waiting = Arrays.copyOf(waiting, Math.max(doubled, count + more));
        }
        bytes.get(waiting, count, more);
        count += more;
      }
    }

    private void putPiece() throws IOException {
      ByteBuffer piece = ByteBuffer.wrap(waiting, 0, count);
      pieces.add(upload.put(ShippedPiece.nameOf(piece), piece));
      count = 0;
    }

    @Override
    public KeptObject finish() throws IOException {
      putPiece();
      upload.finish();
      finished = true;
      return new KeptObject(Digest.of(sha256.digest()), written, place(upload.part(), pieces));
    }

    @Override
    public void close() throws IOException {
      upload.close();
      if (!finished) {
        store.delete(upload.part()); // nobody else would before the next claim
      }
    }
  }

  private final class Stored extends StoredObject {
    private final KeptObject object;
    private @Nullable ByteBuffer first;
    private @Nullable Exception damage;

    Stored(KeptObject object) {
      super(object);
      this.object = object;
    }

    /// Reads the first piece.
    boolean isThere() throws IOException {
      try {
        first = get(pieces(object).getFirst());
        return true;
      } catch (CorruptStreamException e) {
        damage = e;
        return true;
      } catch (SavepointRefusedException e) {
        damage = e;
        return e.reason() != Reason.MISSING;
      }
    }

    private ByteBuffer get(ShippedPiece piece) throws IOException, SavepointRefusedException {
      return store.get(piece);
    }

    @Override
    protected String where() {
      return "object " + object.name();
    }

    @Override
    protected long size() {
      return object.bytes();
    }

    @Override
    protected void read(Sink sink) throws IOException, CorruptStreamException {
      ByteBuffer begin = first;
      if (begin == null) {
        throw new CorruptStreamException(where(), 0, "its first piece: " + damage);
      }
      sink.write(begin.duplicate());
      List<ShippedPiece> pieces = pieces(object);
      for (ShippedPiece piece : pieces.subList(1, pieces.size())) {
        try {
          sink.write(get(piece));
        } catch (SavepointRefusedException e) {
          throw new CorruptStreamException(where(), 0, String.valueOf(e.getMessage()), e);
        }
      }
    }

    @Override
    public void close() {}
  }
}
