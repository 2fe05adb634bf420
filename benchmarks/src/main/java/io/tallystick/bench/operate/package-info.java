/// What backups cost those who append, how long a restore takes, and what the container costs, each
/// figure beside the same without. {@link io.tallystick.bench.operate.OperateBench} knows the
/// cases.
@NullMarked
package io.tallystick.bench.operate;

import org.jspecify.annotations.NullMarked;
