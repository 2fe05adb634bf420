/// Journals, from the request to the leaf: genesis, request, attestation, leaf, with their exact
/// bytes and commitments, and the stateless checks of a submission. Start at {@link
/// io.tallystick.journal.SubmissionVerifier}. Formats: `docs/formats/ledger.md`, `request.md`,
/// `leaf.md`.
@NullMarked
package io.tallystick.journal;

import org.jspecify.annotations.NullMarked;
