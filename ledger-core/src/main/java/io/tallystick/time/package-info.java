/// Trusted time as the ledger asks for it: questions to RFC 3161 authorities, and what a token that
/// holds says. {@link io.tallystick.time.TimeTokens} is the entry, which another module implements.
/// Source: RFC 3161, RFC 5816; `docs/formats/time-token.md`.
@NullMarked
package io.tallystick.time;

import org.jspecify.annotations.NullMarked;
