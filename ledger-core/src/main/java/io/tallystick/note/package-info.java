/// C2SP signed notes and checkpoints, the published form of a tree head. Start at {@link
/// io.tallystick.note.Checkpoint}. Format: `docs/formats/checkpoint.md`.
@NullMarked
package io.tallystick.note;

import org.jspecify.annotations.NullMarked;
