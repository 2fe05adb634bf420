/// Heads of the test kit's logs, as a T-Ledger holds them.
@NullMarked
package io.tallystick.testkit.tledger;

import org.jspecify.annotations.NullMarked;
