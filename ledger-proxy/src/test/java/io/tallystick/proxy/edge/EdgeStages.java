package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import io.tallystick.testkit.stage.Shape;
import io.tallystick.testkit.stage.Submissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/// What does a journal cost the service before it is sequenced, stage by stage, on one thread?
/// `StageBudget` in benchmarks runs it and divides by the journals.
@State(Scope.Thread)
@NullUnmarked
public class EdgeStages {
  @Param({"BATCH", "SINGLES"})
  public Shape shape;

  private final KeyLookup keys = Submissions.keys();
  private SubmissionVerifier verifier;
  private List<byte[]> messages;
  private List<UnverifiedSubmission> submissions;

  public EdgeStages() {}

  @Setup
  public void prepare() throws Exception {
    verifier = new SubmissionVerifier(shape.signatures(), Set.of());
    messages = new ArrayList<>();
    submissions = new ArrayList<>();
    for (Submissions.Signed signed : Submissions.of(shape)) {
      messages.add(message(signed).toByteArray());
      submissions.add(FromProto.submission(AppendRequest.parseFrom(messages.getLast())));
    }
  }

  private static AppendRequest message(Submissions.Signed signed) {
    AppendRequest.Builder message =
        AppendRequest.newBuilder()
            .setLedgerId(wire(Submissions.strand().ledger().digest().toBytes()))
            .setAttestation(wire(signed.attestation()));
    for (SignedRequest request : signed.requests()) {
      message.addRequests(
          io.tallystick.api.v1.SignedRequest.newBuilder()
              .setHeader(wire(request.header()))
              .setSalt(wire(request.salt()))
              .setBody(wire(request.body())));
    }
    return message.build();
  }

  private static ByteString wire(Bytes value) {
    return UnsafeByteOperations.unsafeWrap(value.unsafeArray());
  }

  @Benchmark
  public void fromWire(Blackhole hole) throws Exception {
    for (byte[] message : messages) {
      hole.consume(FromProto.submission(AppendRequest.parseFrom(message)));
    }
  }

  @Benchmark
  public void verify(Blackhole hole) throws Exception {
    for (UnverifiedSubmission submission : submissions) {
      hole.consume(
          verifier.verify(
              submission.strand(), submission.requests(), submission.attestation(), keys));
    }
  }
}
