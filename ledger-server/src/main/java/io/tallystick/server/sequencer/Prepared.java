package io.tallystick.server.sequencer;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.PurgeTerms;

/// What was read for an append before it is decided upon: the sequencer itself never reads a disk.
/// No request depends on more than one of these.
public sealed interface Prepared
    permits KeyReading, Prepared.Named, Prepared.Terms, Prepared.Shown, Prepared.Nothing {
  /// Nothing was read, as yet or because there is nothing to read.
  record Nothing() implements Prepared {}

  /// The journals that the target of an occult names, as they were found in what is sealed.
  record Named(JsnSet targets) implements Prepared {}

  /// Who must sign a purge, by the snapshot that it names.
  record Terms(PurgeTerms terms) implements Prepared {}

  /// The chain that a grant names, as it was found when the request came.
  record Shown(CertificateChain chain) implements Prepared {}
}
