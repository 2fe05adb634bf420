package io.tallystick.audit;

/// How much an audit has checked and found right, up to its first fatal fault.
///
/// @param leaves all of them, genesis and seals included
/// @param journals what clients appended, member changes included
/// @param signatures of clients, verified
/// @param bodies whose commitment was recomputed
/// @param bytes of leaves, attestations, salts and bodies
public record AuditCounts(
    long leaves,
    long blocks,
    long journals,
    long batches,
    long signatures,
    long bodies,
    long bodiesErased,
    long bodiesDamaged,
    long memberChanges,
    long bytes) {}
