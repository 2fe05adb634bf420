/// The public read path: which file of a log holds what. {@link io.tallystick.tile.TilePath} says
/// where, {@link io.tallystick.tile.TileBundle} how. Source: C2SP tlog-tiles;
/// docs/formats/tiles.md.
@NullMarked
package io.tallystick.tile;

import org.jspecify.annotations.NullMarked;
