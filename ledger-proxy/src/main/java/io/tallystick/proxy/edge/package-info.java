/// The gRPC services. Wire types come in here and go no further: {@link
/// io.tallystick.proxy.edge.FromProto} makes model records or rejects, {@link
/// io.tallystick.proxy.edge.ToProto} the reverse. {@link io.tallystick.proxy.edge.Edge} is the
/// entry.
@NullMarked
package io.tallystick.proxy.edge;

import org.jspecify.annotations.NullMarked;
