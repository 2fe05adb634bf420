/// Where a log comes from: a service, a saved copy or public files, behind {@link
/// io.tallystick.audit.source.LogSource}. Nothing that a source says is believed. Sees `finding`.
@NullMarked
package io.tallystick.audit.source;

import org.jspecify.annotations.NullMarked;
