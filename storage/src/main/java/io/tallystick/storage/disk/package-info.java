/// The seam to the file system: {@link io.tallystick.storage.disk.Disk}. All file access of the
/// storage engines goes through it, so that a twin can crash, tear, fill up or fail a force at
/// every operation.
@NullMarked
package io.tallystick.storage.disk;

import org.jspecify.annotations.NullMarked;
