/// Checkpoints, receipts and the trust rule on a small real log.
@NullMarked
package io.tallystick.testkit.evidence;

import org.jspecify.annotations.NullMarked;
