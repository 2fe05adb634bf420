/// The check of a founding that whoever asks a node for it makes before: {@link
/// io.tallystick.node.founding.FoundingVerifier}.
@NullMarked
package io.tallystick.node.founding;

import org.jspecify.annotations.NullMarked;
