package io.tallystick.node;

/// A question to a node: what is wanted, as a value that crosses a wire as well as a call. The
/// family is closed, so whoever answers is a `switch`. Asking twice changes nothing.
///
/// @param <R> of the answer
public sealed interface NodeRead<R>
    permits LedgerRead, LogRead, ClueRead, StateRead, TimeRead, KeptRead, PurgeRead, OutsideRead {}
