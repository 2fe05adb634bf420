/// What anybody checks, and what it is checked with: `audit`, `verify`, `evidence`, `anchor`,
/// `export`, `time`. Sees no other commands.
@NullMarked
package io.tallystick.cli.audit;

import org.jspecify.annotations.NullMarked;
