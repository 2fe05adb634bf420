/// What trusted time, a T-Ledger and their audits cost, each figure beside the same without or
/// beside what the machine does at best. {@link io.tallystick.bench.trust.TrustBench} knows the
/// cases.
@NullMarked
package io.tallystick.bench.trust;

import org.jspecify.annotations.NullMarked;
