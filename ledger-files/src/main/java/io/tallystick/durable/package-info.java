/// Small files that survive a crash at any moment; {@link io.tallystick.durable.DurableFile} is the
/// usual one. For what the client trusts and what the auditor states.
@NullMarked
package io.tallystick.durable;

import org.jspecify.annotations.NullMarked;
