package io.tallystick.server.frame;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;

/// A block being gathered by the sequencer for the next frame. Not thread-safe.
public final class BlockDraft {
  /// Requests committed whole under one attestation.
  ///
  /// @param governance whether replay must decode the header (a single request of kind ≥ 16)
  /// @param delegated whether the key of a signer is delegated, as the leaves will say
  /// @param signatureIds one per signer
  public record Submission(
      List<SignedRequest> requests,
      Bytes attestation,
      List<Digest> signatureIds,
      long latestExpiresMs,
      boolean governance,
      boolean delegated) {
    public Submission {
      requests = List.copyOf(requests);
      signatureIds = List.copyOf(signatureIds);
    }
  }

  private final StrandId strand;
  private final long firstJsn;
  private final long height;
  private final boolean genesis;
  private final List<Submission> submissions = new ArrayList<>();
  private int journals;
  private boolean operations;
  private boolean delegated;

  public BlockDraft(StrandId strand, long firstJsn, long height, boolean genesis) {
    this.strand = strand;
    this.firstJsn = firstJsn;
    this.height = height;
    this.genesis = genesis;
  }

  /// @return the jsn of the submission's first journal
  public long add(Submission submission) {
    long first = firstJsn + journals;
    submissions.add(submission);
    journals += submission.requests().size();
    delegated |= submission.delegated();
    operations |= submission.requests().stream().anyMatch(request -> !request.ops().isEmpty());
    return first;
  }

  public StrandId strand() {
    return strand;
  }

  public long firstJsn() {
    return firstJsn;
  }

  public long height() {
    return height;
  }

  public boolean genesis() {
    return genesis;
  }

  public List<Submission> submissions() {
    return submissions;
  }

  /// Whether any of its journals has operations.
  public boolean hasOperations() {
    return operations;
  }

  /// Whether the key of a signer of any of its journals is delegated.
  public boolean hasDelegated() {
    return delegated;
  }

  public int journals() {
    return journals;
  }

  /// The jsn of the seal that will close this block.
  public long sealJsn() {
    return firstJsn + journals;
  }
}
