/// Why a call gave no result ({@link io.tallystick.client.failure.TallyException}), and how often a
/// call that failed is repeated ({@link io.tallystick.client.failure.RetryPolicy}).
@NullMarked
package io.tallystick.client.failure;

import org.jspecify.annotations.NullMarked;
