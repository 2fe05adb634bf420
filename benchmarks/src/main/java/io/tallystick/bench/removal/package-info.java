/// What removals cost, and those who append and audit beside them, each figure beside the same
/// without or beside what the disk does. {@link io.tallystick.bench.removal.RemovalBench} knows the
/// cases.
@NullMarked
package io.tallystick.bench.removal;

import org.jspecify.annotations.NullMarked;
