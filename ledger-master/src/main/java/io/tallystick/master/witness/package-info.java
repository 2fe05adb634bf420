/// Has the heads of ledgers cosigned by witnesses, and stops a ledger of which one of them has seen
/// more than there is. {@link io.tallystick.master.witness.Witnessing} is the entry. Source: C2SP
/// tlog-witness, tlog-cosignature; `docs/formats/checkpoint.md`.
@NullMarked
package io.tallystick.master.witness;

import org.jspecify.annotations.NullMarked;
