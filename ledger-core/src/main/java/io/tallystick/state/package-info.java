/// The values of a ledger's state, verified under a trusted head: {@link
/// io.tallystick.state.LookupProof} for one key, {@link io.tallystick.state.LookupsProof} for
/// several, {@link io.tallystick.state.RangeOfState} for a range, {@link
/// io.tallystick.state.StateValue} for the value itself; {@link io.tallystick.state.StateFile},
/// {@link io.tallystick.state.LookupFile} and {@link io.tallystick.state.RangeFile} hold a proof
/// with its head. Format: `docs/formats/forest.md`.
@NullMarked
package io.tallystick.state;

import org.jspecify.annotations.NullMarked;
