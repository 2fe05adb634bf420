/// Submissions, signed to be sent, and the evidence that they were committed: {@link
/// io.tallystick.client.internal.append.SignedSubmission}. Not for applications. Sees the wire and
/// the trusted log.
@NullMarked
package io.tallystick.client.internal.append;

import org.jspecify.annotations.NullMarked;
