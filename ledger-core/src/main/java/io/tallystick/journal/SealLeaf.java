package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;

/// The last leaf of a block; its leaf hash is the block hash. Because the roots stand in the log, a
/// fork that differs only in a clue or state root is a fork of the log.
///
/// @param height of the block, from 0, rising by 1
/// @param previous leaf hash of the seal before; 32 zero bytes at height 0
/// @param firstJsn the block's first leaf; below `jsn`, because no block is empty
/// @param journalRoot of the tree of size `jsn`, before this leaf
public record SealLeaf(
    Jsn jsn,
    long timeMs,
    long height,
    Digest previous,
    Jsn firstJsn,
    Digest journalRoot,
    Digest clueRoot,
    Digest stateRoot)
    implements Leaf {
  /// Root of the empty Ethereum trie, keccak256(0x80).
  public static final Digest EMPTY_CLUE_ROOT = ClueRoot.EMPTY.digest();

  /// SHA-256("tallystick/forest/1\0" ‖ CBOR[0, SHA-256("")]): no partitions.
  public static final Digest EMPTY_STATE_ROOT =
      Digest.fromHex("ce56b540eae991a42c101f64e4910f6bc6f60641237ab8a04303694b8c3f60d8");

  private static final int ITEMS = 9;

  public SealLeaf {
    Leaf.checkTime(timeMs);
    if (height < 0 || firstJsn.compareTo(jsn) >= 0) {
      throw new IllegalArgumentException(
          "seal " + jsn + " of height " + height + " begins at " + firstJsn);
    }
    // Every block has at least two leaves, its seal among them.
    if (firstJsn.value() / 2 < height || (height == 0) != (firstJsn.value() == 0)) {
      throw new IllegalArgumentException("block " + height + " cannot begin at " + firstJsn);
    }
    if (height == 0 && (jsn.value() != 1 || !previous.equals(Digest.ZERO))) {
      throw new IllegalArgumentException("seal of genesis with jsn " + jsn + " or a previous one");
    }
  }

  /// Which leaf and time a block without clue trie and state forest is sealed by.
  public static SealLeaf of(
      Jsn jsn, long timeMs, long height, Digest previous, Jsn firstJsn, Digest journalRoot) {
    return new SealLeaf(
        jsn, timeMs, height, previous, firstJsn, journalRoot, EMPTY_CLUE_ROOT, EMPTY_STATE_ROOT);
  }

  @Override
  public Bytes encode() {
    return new CborWriter(192)
        .array(ITEMS)
        .uint(SEAL)
        .uint(jsn.value())
        .uint(timeMs)
        .uint(height)
        .digest(previous)
        .uint(firstJsn.value())
        .digest(journalRoot)
        .digest(clueRoot)
        .digest(stateRoot)
        .toBytes();
  }

  static SealLeaf decode(CborReader in, int items) throws MalformedException {
    Leaf.checkItems(SEAL, items, ITEMS);
    Jsn jsn = new Jsn(in.uint());
    long timeMs = in.uint();
    long height = in.uint();
    Digest previous = in.digest();
    Jsn firstJsn = new Jsn(in.uint());
    Digest journalRoot = in.digest();
    Digest clueRoot = in.digest();
    Digest stateRoot = in.digest();
    return Decoding.validated(() ->
        new SealLeaf(jsn, timeMs, height, previous, firstJsn, journalRoot, clueRoot, stateRoot));
  }
}
