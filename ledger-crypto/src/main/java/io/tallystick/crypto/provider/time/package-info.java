/// RFC 3161 tokens by Bouncy Castle, their certificates by the JDK's PKIX. {@link
/// io.tallystick.crypto.provider.time.Rfc3161Tokens} is the entry.
@NullMarked
package io.tallystick.crypto.provider.time;

import org.jspecify.annotations.NullMarked;
