/// Proposals that wait for signatures, as notes: {@link
/// io.tallystick.server.proposal.ProposalTable}.
@NullMarked
package io.tallystick.server.proposal;

import org.jspecify.annotations.NullMarked;
