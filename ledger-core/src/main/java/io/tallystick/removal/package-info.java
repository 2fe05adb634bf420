/// Evidence of removals: the certificate of an occult or a purge, and the pseudo-genesis with which
/// a purged log begins. Start at {@link io.tallystick.removal.RemovalCertificate} and {@link
/// io.tallystick.removal.PseudoGenesis}. Format: `docs/formats/removal.md`.
@NullMarked
package io.tallystick.removal;

import org.jspecify.annotations.NullMarked;
