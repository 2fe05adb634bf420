/// The clue index beside RocksDB, with no service: {@link io.tallystick.bench.clue.ClueBench} is
/// the entry.
@org.jspecify.annotations.NullMarked
package io.tallystick.bench.clue;
