/// What a provable state costs beside a key-value store without proofs and beside a textbook Merkle
/// tree: {@link io.tallystick.bench.state.StateBench} measures contenders by turns. The state
/// forest is used by {@link io.tallystick.bench.state.ForestContender} alone.
@NullMarked
package io.tallystick.bench.state;

import org.jspecify.annotations.NullMarked;
