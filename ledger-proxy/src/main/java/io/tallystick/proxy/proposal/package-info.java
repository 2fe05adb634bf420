/// Proposals that the service keeps until they have the signatures they need: {@link
/// io.tallystick.proxy.proposal.Proposals}.
@NullMarked
package io.tallystick.proxy.proposal;

import org.jspecify.annotations.NullMarked;
