/// Journals, written and read: `append`, `get`, `list`, `lineage`, `clue`. Sees no other commands.
@NullMarked
package io.tallystick.cli.journal;

import org.jspecify.annotations.NullMarked;
