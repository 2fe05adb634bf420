/// The file in a data directory that the one who asks witnesses writes, and that a node's backups
/// read: {@link io.tallystick.node.witnessed.WitnessedLedgers}.
@NullMarked
package io.tallystick.node.witnessed;

import org.jspecify.annotations.NullMarked;
