package io.tallystick.head;

import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.ProofRejectedException;
import java.util.Optional;

/// Two signed heads of one strand that are not both heads of one log; the exception carries both as
/// evidence. Reason `FORK`: they contradict each other, and anybody can check that (with the {@link
/// #proof} if there is one). `ROLLBACK`: the service shows less than it signed before. Any other
/// reason: the service's proof does not join them. That is no proof of a fork without both heads'
/// logs.
public final class ForkException extends ProofRejectedException {
  private static final long serialVersionUID = 1;

  private final transient SignedHead trusted;
  private final transient SignedHead offered;
  private final transient Optional<ConsistencyProof> proof;

  ForkException(Reason reason, String detail, SignedHead trusted, SignedHead offered) {
    super(reason, detail);
    this.trusted = trusted;
    this.offered = offered;
    this.proof = Optional.empty();
  }

  ForkException(
      Reason reason,
      String detail,
      SignedHead trusted,
      SignedHead offered,
      ConsistencyProof proof,
      ProofRejectedException cause) {
    super(reason, detail, cause);
    this.trusted = trusted;
    this.offered = offered;
    this.proof = Optional.of(proof);
  }

  /// The head that was believed before.
  public SignedHead trusted() {
    return trusted;
  }

  /// The head that does not go with it.
  public SignedHead offered() {
    return offered;
  }

  /// The proof that was to join them.
  public Optional<ConsistencyProof> proof() {
    return proof;
  }
}
