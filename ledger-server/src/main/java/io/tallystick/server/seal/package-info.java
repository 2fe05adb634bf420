/// Indexes committed blocks and seals them. {@link io.tallystick.server.seal.Indexer} is the entry;
/// {@link io.tallystick.server.seal.BlockIndex} is the seam for what else a seal holds a root of.
@NullMarked
package io.tallystick.server.seal;

import org.jspecify.annotations.NullMarked;
