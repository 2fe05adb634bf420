/// Append-only arrays of fixed-size rows, many per strand: what the accumulator, the block index
/// and later the clue index are kept in. {@link io.tallystick.storage.array.ArrayStore} is the
/// entry. Small arrays are rows of the meta store, large ones files; the format is in
/// `docs/formats/accumulator.md`.
@NullMarked
package io.tallystick.storage.array;

import org.jspecify.annotations.NullMarked;
