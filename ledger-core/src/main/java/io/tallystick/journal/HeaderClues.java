package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// The clues that an encoded {@link RequestHeader} names, read without the rest of it.
///
/// @param ids ascending
/// @param delete whether the request deletes its one clue
public record HeaderClues(List<Digest> ids, boolean delete) {
  private static final HeaderClues NONE = new HeaderClues(List.of(), false);

  // clientSeq, clientTimeMs, expiresMs
  private static final int TIMES = 3;

  public HeaderClues {
    ids = List.copyOf(ids);
  }

  /// @param array holds the header, `length` bytes at `offset`
  /// @throws MalformedException if it is none
  public static HeaderClues of(byte[] array, int offset, int length) throws MalformedException {
    CborReader in = new CborReader(array, offset, length);
    long kind = toIds(in);
    int count = in.arrayAtMost("clue ids", Limits.CLUES_MAX);
    if (count == 0) {
      return NONE;
    }
    List<Digest> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(in.digest());
    }
    return new HeaderClues(ids, kind == Kind.CLUE_DELETE.code());
  }

  /// Steps to the array of clue ids.
  ///
  /// @return the code of the kind
  static long toIds(CborReader in) throws MalformedException {
    in.array("RequestHeader", RequestHeader.ITEMS);
    in.uint(); // version
    in.skipBytes(); // ledger
    in.uint(); // strand
    long kind = in.uint();
    for (int i = 0; i < TIMES; i++) {
      in.uint();
    }
    in.skipBytes(); // bodyCommit
    in.uint(); // bodySize
    return kind;
  }
}
