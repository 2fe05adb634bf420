package io.tallystick.server.clue;

import io.tallystick.journal.HeaderClues;
import io.tallystick.model.MalformedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.storage.stream.CorruptStreamException;
import java.util.ArrayList;
import java.util.List;

/// The clues that a journal of a block names.
///
/// @param journal number within the block
/// @param clues at least one
record NamedClues(int journal, HeaderClues clues) {
  /// Reads the clues of all journals of a block that name any.
  static List<NamedClues> in(BlockInfo block) throws CorruptStreamException {
    List<NamedClues> named = new ArrayList<>();
    for (int i = 0; i < block.journals(); i++) {
      HeaderClues clues = of(block, i);
      if (!clues.ids().isEmpty()) {
        named.add(new NamedClues(i, clues));
      }
    }
    return named;
  }

  /// Whether any journal of a block names one.
  static boolean anyIn(BlockInfo block) throws CorruptStreamException {
    for (int i = 0; i < block.journals(); i++) {
      if (!of(block, i).ids().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static HeaderClues of(BlockInfo block, int journal) throws CorruptStreamException {
    try {
      return HeaderClues.of(
          block.headerArray(), block.headerPosition(journal), block.headerBytes(journal));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          block.strand().toString(),
          block.firstJsn() + journal,
          "committed header does not decode: " + e.getMessage(),
          e);
    }
  }
}
