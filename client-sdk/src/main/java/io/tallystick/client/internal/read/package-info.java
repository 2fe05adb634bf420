/// Reads a ledger and verifies what it reads: {@link
/// io.tallystick.client.internal.read.LedgerReader}. Not for applications. Sees what is read
/// ({@link io.tallystick.client.journal}, {@link io.tallystick.client.member}), the wire and the
/// trusted log.
@NullMarked
package io.tallystick.client.internal.read;

import org.jspecify.annotations.NullMarked;
