/// Evidence against a service, put together from a log and from what the service signed. {@link
/// io.tallystick.audit.evidence.EvidenceMaker} is the entry; the files are those of
/// `docs/formats/people-and-time.md` and `docs/formats/trust.md`.
@NullMarked
package io.tallystick.audit.evidence;

import org.jspecify.annotations.NullMarked;
