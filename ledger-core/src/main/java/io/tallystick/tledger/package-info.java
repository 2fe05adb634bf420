/// The entries of a T-Ledger: heads of other ledgers, put there so that nobody can hold them back
/// or swap them later. {@link io.tallystick.tledger.HeadEntry} is one entry; {@link
/// io.tallystick.tledger.EntryInclusion} is how a time journal shows one. Source:
/// `docs/formats/t-ledger.md`.
@NullMarked
package io.tallystick.tledger;

import org.jspecify.annotations.NullMarked;
