/// Journals that several sign: `propose`, `sign`, `submit`, `proposal`. Sees no other commands.
@NullMarked
package io.tallystick.cli.proposal;

import org.jspecify.annotations.NullMarked;
