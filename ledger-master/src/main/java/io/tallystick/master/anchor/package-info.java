/// Anchors ledgers in time: heads go to time authorities, their tokens come back as time journals.
/// {@link io.tallystick.master.anchor.TimePeg} is the entry. Source: LedgerDB section 5.2;
/// `docs/formats/time-token.md`.
@NullMarked
package io.tallystick.master.anchor;

import org.jspecify.annotations.NullMarked;
