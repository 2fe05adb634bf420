/// A client's trust, kept across restarts: the pinned genesis and the newest verified head of each
/// ledger ({@link io.tallystick.client.trust.TrustFolder}), and the rule by which a new head joins
/// it ({@link io.tallystick.client.trust.TrustedLog}).
@NullMarked
package io.tallystick.client.trust;

import org.jspecify.annotations.NullMarked;
