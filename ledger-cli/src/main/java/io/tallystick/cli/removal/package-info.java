/// The commands for purges and for certificates of removals: `purge`, `erasure`. Of other commands
/// it sees those of {@link io.tallystick.cli.proposal}, as a purge is a proposal.
@NullMarked
package io.tallystick.cli.removal;

import org.jspecify.annotations.NullMarked;
