/// Notes: rows of the meta store whose changes are recorded in the commit stream. Source:
/// `docs/formats/commit-frame.md`, "Notes".
@NullMarked
package io.tallystick.server.note;

import org.jspecify.annotations.NullMarked;
