/// The commit stream (LedgerDB's L-Stream): segmented, append-only, addressed by location. {@link
/// io.tallystick.storage.stream.StreamStore} is the entry; local files are the default
/// implementation, Apache BookKeeper the replicated one.
@NullMarked
package io.tallystick.storage.stream;

import org.jspecify.annotations.NullMarked;
