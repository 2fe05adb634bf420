/// The service application: {@link io.tallystick.proxy.TallystickService} puts a node, the registry
/// and the gRPC front into one process. Spring is here and nowhere else.
@NullMarked
package io.tallystick.proxy;

import org.jspecify.annotations.NullMarked;
