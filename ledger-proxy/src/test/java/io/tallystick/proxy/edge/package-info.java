/// The gRPC front, tried through real channels.
@NullMarked
package io.tallystick.proxy.edge;

import org.jspecify.annotations.NullMarked;
