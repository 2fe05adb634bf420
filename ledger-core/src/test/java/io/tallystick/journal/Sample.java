package io.tallystick.journal;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.JdkSignatures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// A seeded ledger with two owners, one of each algorithm, for the tests of this package.
final class Sample {
  static final long TIME_MS = 1_790_000_000_000L;

  final SplittableRandom random = new SplittableRandom(7);
  final Signatures signatures = new JdkSignatures(random);
  final List<Signer> owners;
  final GenesisParams params;
  final StrandId strand;

  Sample() {
    Signer ed = signatures.generate(SignatureAlgorithm.ED25519);
    Signer es = signatures.generate(SignatureAlgorithm.ES256);
    owners = new ArrayList<>(List.of(ed, es));
    owners.sort(Comparator.comparing(signer -> signer.publicKey().kid()));
    params =
        new GenesisParams(
            new Authority("localhost"),
            Commitments.name(salt(), "sample"),
            salt(),
            owners.stream().map(Signer::publicKey).toList(),
            signatures.generate(SignatureAlgorithm.ED25519).publicKey(),
            signatures.generate(SignatureAlgorithm.ED25519).publicKey(),
            TIME_MS,
            false,
            1,
            GenesisParams.DEFAULT_WINDOW_MS,
            Set.of(),
            null);
    strand = new StrandId(params.ledgerId(), 0);
  }

  Bytes salt() {
    byte[] salt = new byte[32];
    random.nextBytes(salt);
    return Bytes.wrap(salt);
  }

  Optional<PublicKey> key(Digest kid) {
    return owners.stream().map(Signer::publicKey).filter(k -> k.kid().equals(kid)).findFirst();
  }

  RequestDraft draft(String payload) {
    return RequestDraft.append(strand, Bytes.utf8(payload), "text/plain", TIME_MS, salt());
  }

  List<SignedRequest> requests(int count) {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(draft("payload " + i).build());
    }
    return requests;
  }

  static List<Digest> hashes(List<SignedRequest> requests) {
    return requests.stream().map(request -> RequestHeader.hash(request.header())).toList();
  }

  Attestation attest(List<SignedRequest> requests) {
    return requests.size() == 1
        ? RequestSigner.sign(strand, hashes(requests).getFirst(), owners)
        : RequestSigner.signBatch(strand, hashes(requests), owners);
  }
}
