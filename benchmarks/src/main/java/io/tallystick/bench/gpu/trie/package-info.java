/// A Merkle Patricia trie in the memory of a CUDA device, which `tally bench gpu` measures. Start
/// at {@link io.tallystick.bench.gpu.trie.DeviceTrie}.
@NullMarked
package io.tallystick.bench.gpu.trie;

import org.jspecify.annotations.NullMarked;
