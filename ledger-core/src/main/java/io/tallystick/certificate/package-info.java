/// X.509 chains that members show for their keys: {@link
/// io.tallystick.certificate.CertificateChain} has the bytes, {@link
/// io.tallystick.certificate.ChainVerifier} judges them by authorities that the verifier lists.
/// Source: `docs/formats/people-and-time.md`.
@NullMarked
package io.tallystick.certificate;

import org.jspecify.annotations.NullMarked;
