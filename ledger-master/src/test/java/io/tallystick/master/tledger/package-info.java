/// Tests of the T-Ledger's writer.
@NullMarked
package io.tallystick.master.tledger;

import org.jspecify.annotations.NullMarked;
