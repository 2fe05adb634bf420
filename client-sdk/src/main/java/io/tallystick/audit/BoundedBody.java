package io.tallystick.audit;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/// The body of an answer, of which no more than a bound and one byte is kept: so its reader sees
/// that it was longer.
final class BoundedBody implements BodySubscriber<byte[]> {
  private final int bytesMax;
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private @Nullable Subscription subscription;

  BoundedBody(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return whole;
  }

  @Override
  public void onSubscribe(Subscription from) {
    subscription = from;
    from.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      byte[] bytes = new byte[Math.min(part.remaining(), bytesMax + 1 - content.size())];
      part.get(bytes);
      content.writeBytes(bytes);
    }
    if (content.size() > bytesMax) {
      onComplete();
      if (subscription != null) {
        subscription.cancel();
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    whole.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    whole.complete(content.toByteArray());
  }
}
