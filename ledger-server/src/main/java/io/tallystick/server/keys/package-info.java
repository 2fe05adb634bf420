/// The service's own keys on disk: {@link io.tallystick.server.keys.ServiceKeyStore}.
@NullMarked
package io.tallystick.server.keys;

import org.jspecify.annotations.NullMarked;
