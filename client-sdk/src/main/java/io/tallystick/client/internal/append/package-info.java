/// What is sent, and what shows that it was committed: {@link
/// io.tallystick.client.internal.append.SignedSubmission}. Not for applications. Sees the wire and
/// the trusted log.
@NullMarked
package io.tallystick.client.internal.append;

import org.jspecify.annotations.NullMarked;
