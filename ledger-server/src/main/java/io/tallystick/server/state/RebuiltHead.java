package io.tallystick.server.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.LastSeal;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.receipt.Receipt;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StoredBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/// The file that a folder of a {@link RebuiltState} gets last: of which block it is, the head and
/// the seal of that block, and the partitions of the state: `[1, ledgerId, strand, head bstr, seal
/// bstr, [path …], row bstr, crc32c]`. Source: `docs/formats/state-pages.md`, "A state made from
/// the log".
///
/// @param head the receipt of the seal under the block's head
/// @param row names the files of the partitions
record RebuiltHead(StrandId strand, Bytes head, LastSeal seal, Bytes row) {
  static final String NAME = "state";
  private static final String NEW = NAME + ".new";
  private static final int FORMAT = 1;
  private static final int ITEMS = 8;
  private static final int PATH_MAX = 64;
  private static final int BYTES_MAX = 64 << 20;

  /// Durable on return.
  void write(Disk disk) throws IOException {
    try (DiskFile file = disk.open(NEW)) {
      file.write(0, ByteBuffer.wrap(encode()));
      file.force();
    }
    disk.rename(NEW, NAME);
    disk.forceDirectory("");
  }

  private byte[] encode() {
    CborWriter out = new CborWriter(1024);
    out.array(ITEMS).uint(FORMAT).digest(strand.ledger().digest()).uint(strand.strand());
    out.bytes(head).bytes(seal.seal()).array(seal.path().size());
    seal.path().forEach(out::digest);
    out.bytes(row);
    return out.uint(checksum(out.buffer(), out.length())).toArray();
  }

  private static long checksum(byte[] file, int count) {
    CRC32C crc = new CRC32C();
    crc.update(file, 0, count);
    return crc.getValue();
  }

  /// @throws CorruptStreamException if it is damaged
  static RebuiltHead read(Disk disk) throws IOException, CorruptStreamException {
    try (DiskFile file = disk.open(NAME)) {
      int bytes = (int) Math.min(BYTES_MAX, file.size());
      return decode(StoredBytes.read(file, 0, bytes));
    } catch (MalformedException e) {
      throw damaged(e);
    }
  }

  private static RebuiltHead decode(byte[] file) throws MalformedException {
    CborReader in = new CborReader(file);
    in.array("rebuilt state", ITEMS);
    long format = in.uint();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", want " + FORMAT);
    }
    StrandId strand =
        new StrandId(new LedgerId(in.digest()), (int) in.uint("strand", Integer.MAX_VALUE));
    Bytes head = Bytes.wrap(in.bytes("head", HeadStatement.BYTES_MAX));
    Bytes seal = Bytes.wrap(in.bytes());
    List<Digest> path = new ArrayList<>();
    for (int i = in.arrayAtMost("path", PATH_MAX); i > 0; i--) {
      path.add(in.digest());
    }
    Bytes row = Bytes.wrap(in.bytes());
    long want = checksum(file, in.position());
    if (in.uint() != want) {
      throw new MalformedException("checksum is wrong");
    }
    in.end();
    return new RebuiltHead(strand, head, new LastSeal(seal, path), row);
  }

  private static CorruptStreamException damaged(Exception why) {
    return new CorruptStreamException(NAME, 0, String.valueOf(why.getMessage()), why);
  }

  /// The block that was sealed.
  ///
  /// @throws CorruptStreamException if it has no seal
  SealLeaf block() throws CorruptStreamException {
    try {
      if (Leaf.decode(seal.seal()) instanceof SealLeaf block) {
        return block;
      }
      throw new MalformedException("the seal is another leaf");
    } catch (MalformedException e) {
      throw damaged(e);
    }
  }

  /// The block and its head.
  BlockView view() throws CorruptStreamException {
    SealLeaf block = block();
    long size = block.jsn().value() + 1;
    Digest hash = Leaf.hash(seal.seal());
    try {
      return new BlockView(
          block.height(),
          block.firstJsn().value(),
          block.jsn().value(),
          block.timeMs(),
          seal.seal(),
          hash,
          size,
          new InclusionProof(size - 1, size, seal.path()).rootFrom(hash),
          head);
    } catch (ProofRejectedException e) {
      throw damaged(e);
    }
  }

  /// The head that the service signed, as a file about the state has it.
  Bytes statement(BlockView view) throws CorruptStreamException {
    try {
      return Receipt.decode(head).head().statement(new JournalRoot(view.root())).encode();
    } catch (MalformedException e) {
      throw damaged(e);
    }
  }
}
