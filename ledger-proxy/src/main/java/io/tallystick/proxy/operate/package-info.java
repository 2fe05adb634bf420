/// The operator's requests to a running service, beside its ports: {@link
/// io.tallystick.proxy.operate.OperatorSocket} listens in the data directory, {@link
/// io.tallystick.proxy.operate.Operator} asks.
@NullMarked
package io.tallystick.proxy.operate;

import org.jspecify.annotations.NullMarked;
