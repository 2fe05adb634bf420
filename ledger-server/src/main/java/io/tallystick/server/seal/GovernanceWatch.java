package io.tallystick.server.seal;

import io.tallystick.journal.RequestHeader;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Told of every governance journal when its block is sealed, and again when it is replayed, before
/// a savepoint covers it.
@FunctionalInterface
public interface GovernanceWatch {
  void sealed(RequestHeader header) throws IOException, CorruptStreamException;
}
