/// Backups of a shard and their way back: {@link io.tallystick.server.backup.ShardBackup} makes
/// them, {@link io.tallystick.server.backup.ShardRestore} restores them. Source:
/// docs/formats/backup.md.
@NullMarked
package io.tallystick.server.backup;

import org.jspecify.annotations.NullMarked;
