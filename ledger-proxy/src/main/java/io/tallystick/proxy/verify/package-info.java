/// The server's level of verification: {@link io.tallystick.proxy.verify.ServerVerifier} judges
/// what a caller shows or names, by the service's own log.
@NullMarked
package io.tallystick.proxy.verify;

import org.jspecify.annotations.NullMarked;
