package io.tallystick.merkle.patricia;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.fuzz.FuzzContract;

/// Goal: no input makes a decoder of the clue trie do anything but accept the one encoding or throw
/// {@link MalformedException}. Method: Jazzer; `docs/testing.md`.
class PatriciaFuzzTest extends FuzzContract {
  private static final int DEPTH_MAX = 8;

  @FuzzTest
  void rlp(byte[] input) {
    decoder(
        input,
        bytes -> {
          RlpReader in = new RlpReader(bytes);
          Bytes again = item(in, bytes.size(), 0);
          in.end();
          return again;
        });
  }

  private static Bytes item(RlpReader in, int bytesMax, int depth) throws MalformedException {
    if (!in.atList()) {
      return new RlpWriter(64).string(in.string("item", bytesMax)).toBytes();
    }
    if (depth == DEPTH_MAX) {
      throw new MalformedException("lists in lists");
    }
    RlpReader items = in.list();
    StringBuilder hex = new StringBuilder();
    while (items.hasNext()) {
      hex.append(item(items, bytesMax, depth + 1).hex());
    }
    return Bytes.fromHex(new RlpWriter(9).list(hex.length() / 2).toBytes().hex() + hex);
  }

  @FuzzTest
  void number(byte[] input) {
    decoder(
        input,
        bytes -> {
          RlpReader in = new RlpReader(bytes);
          long value = in.uint("number", Long.MAX_VALUE);
          in.end();
          return new RlpWriter(9).uint(value).toBytes();
        });
  }

  @FuzzTest
  void clueValue(byte[] input) {
    decoder(input, bytes -> ClueValue.decode(bytes).encode());
  }

  @FuzzTest
  void node(byte[] input) {
    decoder(input, bytes -> TrieNode.decode(bytes).encode());
  }
}
