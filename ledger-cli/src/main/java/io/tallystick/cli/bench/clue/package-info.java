/// The clue index beside RocksDB, with no service: {@link io.tallystick.cli.bench.clue.ClueBench}
/// is the entry.
@org.jspecify.annotations.NullMarked
package io.tallystick.cli.bench.clue;
