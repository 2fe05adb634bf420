/// A private key in a file: {@link io.tallystick.client.internal.key.KeyFile}. Not for
/// applications. Sees no other package of the client.
@NullMarked
package io.tallystick.client.internal.key;

import org.jspecify.annotations.NullMarked;
