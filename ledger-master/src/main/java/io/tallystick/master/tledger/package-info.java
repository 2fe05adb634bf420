/// The one writer of a T-Ledger: {@link io.tallystick.master.tledger.TLedgerWriter} checks heads of
/// other ledgers and appends them as its member. Source: `docs/formats/t-ledger.md`.
@NullMarked
package io.tallystick.master.tledger;

import org.jspecify.annotations.NullMarked;
