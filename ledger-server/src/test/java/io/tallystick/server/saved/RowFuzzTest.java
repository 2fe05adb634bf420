package io.tallystick.server.saved;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Goal: no bytes of a shard's rows or of a frame's info section are read as anything but what
/// would be written, or lead a reader out of them. Method: Jazzer; `docs/testing.md`. The checksums
/// of a block row and a strand row are made right first, or nothing behind them would ever be
/// reached.
class RowFuzzTest extends FuzzContract {
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final long HEIGHT = 1;
  private static final int REPLAY_KEY_BYTES = 17;

  @FuzzTest
  void savepoint(byte[] input) {
    decoder(input, bytes -> SavepointRow.decode(bytes).encode());
  }

  /// The input is a row without its checksum.
  @FuzzTest
  void strand(byte[] input) {
    Bytes key = StrandRow.key(STRAND);
    CRC32C crc = new CRC32C();
    crc.update(key.unsafeArray());
    crc.update(input);
    byte[] row = new CborWriter().raw(input, 0, input.length).uint(crc.getValue()).toArray();
    decoder(row, bytes -> StrandRow.decode(key, bytes).encode(STRAND));
  }

  @FuzzTest
  void ledger(byte[] input) {
    decoder(input, bytes -> WorldRows.encode(WorldRows.decodeLedger(bytes)));
  }

  @FuzzTest
  void member(byte[] input) {
    decoder(input, bytes -> WorldRows.encode(WorldRows.decodeMember(bytes)));
  }

  @FuzzTest
  void closing(byte[] input) {
    decoder(input, bytes -> WorldRows.encodeClosing(WorldRows.decodeClosing(bytes)));
  }

  @FuzzTest
  void time(byte[] input) {
    decoder(input, bytes -> WorldRows.encode(WorldRows.decodeTime(bytes)));
  }

  @FuzzTest
  void rotations(byte[] input) {
    GenesisParams genesis = Fixtures.ledger().params();
    decoder(input, bytes -> WorldRows.encode(WorldRows.decodeRotations(bytes, genesis)));
  }

  /// The array of block rows hands out rows of the right size only.
  @FuzzTest
  void block(byte[] input) {
    decoder(
        sealed(input),
        bytes -> {
          if (bytes.size() != BlockRow.BYTES) {
            throw new CorruptStreamException("block rows", 0, bytes.size() + " bytes");
          }
          return Bytes.wrap(BlockRow.decode(bytes.toArray(), HEIGHT).encode(HEIGHT));
        },
        CorruptStreamException.class);
  }

  private static byte[] sealed(byte[] input) {
    if (input.length != BlockRow.BYTES) {
      return input;
    }
    int at = BlockRow.BYTES - Integer.BYTES;
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, HEIGHT));
    crc.update(input, 0, at);
    byte[] row = input.clone();
    ByteBuffer.wrap(row).putInt(at, (int) crc.getValue());
    return row;
  }

  /// A row of the replay table as key and value.
  @FuzzTest
  void replay(byte[] input) {
    decoder(
        input,
        bytes -> {
          int keyBytes = Math.min(REPLAY_KEY_BYTES, bytes.size());
          InMemoryMetaStore meta = new InMemoryMetaStore();
          Bytes value = bytes.slice(keyBytes, bytes.size() - keyBytes);
          meta.write(new MetaBatch().put(bytes.slice(0, keyBytes), value));
          ByteArrayOutputStream entries = new ByteArrayOutputStream();
          new ReplayRows()
              .restore(
                  meta,
                  0,
                  (high, low, jsn, signers, expiresMs) ->
                      entries.writeBytes(
                          ByteBuffer.allocate(32)
                              .putLong(high)
                              .putLong(low)
                              .putLong(jsn)
                              .putLong(expiresMs << 8 | signers)
                              .array()));
          // Rows of another kind are not the replay table's.
          return bytes.isEmpty() || bytes.unsafeArray()[0] != 'r'
              ? bytes
              : Bytes.wrap(joined(bytes.slice(0, keyBytes), entries.toByteArray()));
        },
        CorruptStreamException.class);
  }

  private static byte[] joined(Bytes key, byte[] value) {
    byte[] joined = new byte[key.size() + value.length];
    key.copyInto(joined, 0);
    System.arraycopy(value, 0, joined, key.size(), value.length);
    return joined;
  }

  /// Whatever passes the checks can be read to its end.
  @FuzzTest
  void infos(byte[] input) {
    decoder(
        input,
        bytes -> {
          CommitFrame frame = CommitFrame.checked(bytes.toArray());
          frame.blocks().forEach(RowFuzzTest::readAll);
          frame.guards().forEach(guard -> guard.strand().ledger());
          return bytes;
        });
  }

  @FuzzTest
  void blockInfo(byte[] input) {
    decoder(
        input,
        bytes -> {
          readAll(BlockInfo.checked(bytes.toArray(), 92, 5));
          return bytes;
        });
  }

  private static void readAll(BlockInfo block) {
    block.strand();
    long sum = block.sealJsn() + block.height() + block.timeMs() + block.offset();
    for (int i = 0; i < block.submissions(); i++) {
      sum += block.attestation(i).size() + block.firstJournal(i) + block.journalsOf(i);
      sum += block.latestExpiresMs(i);
      for (int id = 0; id < block.signatureIds(i); id++) {
        sum += block.signatureId(i, id, true) ^ block.signatureId(i, id, false);
      }
    }
    for (int i = 0; i < block.journals(); i++) {
      sum += block.header(i).size() + block.payloadOffset(i) + block.payloadBytes(i);
      sum += block.batchIndex(i) + (block.governance(i) ? 1 : 0);
      if (block.submissionOf(i) >= block.submissions()) {
        throw new AssertionError("journal " + i + " of no submission, " + sum);
      }
    }
  }
}
