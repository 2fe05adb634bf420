/// A soak of the service: clients over REST and gRPC that are killed and come back, a service that
/// is killed under load, and books against which every ledger is held at the end. Entry: {@link
/// io.tallystick.bench.soak.SoakBench}.
@org.jspecify.annotations.NullMarked
package io.tallystick.bench.soak;
