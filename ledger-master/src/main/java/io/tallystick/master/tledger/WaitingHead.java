package io.tallystick.master.tledger;

import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import java.util.concurrent.CompletableFuture;

/// A head that was checked and waits for its batch.
///
/// @param sinceMs when it came
record WaitingHead(
    LedgerId ledger,
    Submitter submitter,
    SignedHead head,
    long sinceMs,
    Bytes entry,
    CompletableFuture<TakenHead> outcome) {}
