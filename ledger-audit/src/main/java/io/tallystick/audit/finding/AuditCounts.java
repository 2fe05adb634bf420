package io.tallystick.audit.finding;

/// How much an audit has checked and found right, up to its first fatal fault.
///
/// @param leaves all of them, genesis and seals included
/// @param journals what clients appended, member changes included
/// @param signatures of clients, verified
/// @param bodies whose commitment was recomputed
/// @param bytes of leaves, attestations, operations, salts and bodies
/// @param clues that were ever used, deleted or not
/// @param clueEntries of all clues: a journal that names two clues is two
/// @param clueDeletions of them the journals that delete a clue
/// @param operations on the state
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
    long bytes,
    long clues,
    long clueEntries,
    long clueDeletions,
    long operations) {}
