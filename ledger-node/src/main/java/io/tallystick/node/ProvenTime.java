package io.tallystick.node;

/// A time journal and the time that its proof gives the head it is about.
///
/// @param provenMs a token's genTime, or the time of a T-Ledger's leaf
public record ProvenTime(long jsn, long provenMs) {}
