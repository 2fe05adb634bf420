package io.tallystick.node;

import io.tallystick.journal.VerifiedSubmission;

/// A submission to be committed, with the waiter for its outcome.
public record Appending(VerifiedSubmission submission, AppendWaiter waiter) {}
