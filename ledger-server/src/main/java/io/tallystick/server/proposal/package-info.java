/// Proposals that wait for signatures, in the meta store: {@link
/// io.tallystick.server.proposal.ProposalTable}.
@NullMarked
package io.tallystick.server.proposal;

import org.jspecify.annotations.NullMarked;
