/// The checks of a run of leaves that need none of those before it, by many threads at once: {@link
/// io.tallystick.audit.chunk.CheckPipeline}. Sees `source` and what that sees.
@NullMarked
package io.tallystick.audit.chunk;

import org.jspecify.annotations.NullMarked;
