/// The seam to the ordered key-value store that holds heads, world state and savepoints: {@link
/// io.tallystick.storage.meta.MetaStore}, RocksDB in production.
@NullMarked
package io.tallystick.storage.meta;

import org.jspecify.annotations.NullMarked;
