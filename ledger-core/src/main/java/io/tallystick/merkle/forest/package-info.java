/// The state forest as a verifier needs it, ViDB's TPBF with a root that admits one answer for each
/// key: {@link io.tallystick.merkle.forest.StateLookup} shows what is held of one key, {@link
/// io.tallystick.merkle.forest.StateLookups} of several, {@link
/// io.tallystick.merkle.forest.StateRange} of a range of keys, under a {@link
/// io.tallystick.merkle.forest.StateRoot}. Nothing here builds or stores a forest. Format:
/// `docs/formats/forest.md`.
@NullMarked
package io.tallystick.merkle.forest;

import org.jspecify.annotations.NullMarked;
