/// The client's side of the wire: unary calls with retries ({@link
/// io.tallystick.client.wire.ServiceCalls}) and the append stream ({@link
/// io.tallystick.client.wire.AppendPipe}). Nothing here verifies evidence; nothing here is trusted.
@NullMarked
package io.tallystick.client.wire;

import org.jspecify.annotations.NullMarked;
