/// The state of each strand, which is the block index of feature `STATE_FOREST`: {@link
/// io.tallystick.server.state.StateStores} opens it, {@link
/// io.tallystick.server.state.ProvenStateReader} answers from it. Hashed rules:
/// `docs/formats/forest.md`.
@NullMarked
package io.tallystick.server.state;

import org.jspecify.annotations.NullMarked;
