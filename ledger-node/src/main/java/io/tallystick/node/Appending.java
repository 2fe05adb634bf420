package io.tallystick.node;

import io.tallystick.journal.VerifiedSubmission;

/// A submission to be committed, and who waits for it.
public record Appending(VerifiedSubmission submission, AppendWaiter waiter) {}
