/// The REST front: JSON, COSE and text over HTTP, thin over the same execute phase and node as
/// gRPC. {@link io.tallystick.proxy.rest.RestConfiguration} is the entry; `docs/rest.md` and the
/// served OpenAPI document say what travels.
@NullMarked
package io.tallystick.proxy.rest;

import org.jspecify.annotations.NullMarked;
