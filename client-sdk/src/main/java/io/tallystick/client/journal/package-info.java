/// Journals and blocks as they were read, and by what a body was erased. All of it is verified.
/// Sees no other package of the client but {@link io.tallystick.client.failure}.
@NullMarked
package io.tallystick.client.journal;

import org.jspecify.annotations.NullMarked;
