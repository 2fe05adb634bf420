package io.tallystick.audit;

import io.tallystick.removal.Snapshot;
import java.util.Optional;

/// What an audit says of a log, and the snapshot that a purge of its beginning must have.
///
/// @param snapshot of a purge in which no affected member is absent; empty if the audit found a
///   fault, if no block ends there, or if the ledger is permanent
public record AuditedSnapshot(AuditReport report, Optional<Snapshot> snapshot) {}
