/// The rows that a shard has saved and starts from: those of blocks, strands, ledgers, members and
/// the replay table, and where sealed blocks lie in the commit stream. A start reads {@link
/// io.tallystick.server.saved.SavepointRow} first.
@NullMarked
package io.tallystick.server.saved;

import org.jspecify.annotations.NullMarked;
