package io.tallystick.proxy.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Spans of calls, continued from the caller's (W3C Trace Context) and sent to a collector by OTLP
/// over HTTP, in batches, in the background; what a collector does not take is dropped. Without a
/// collector every span is empty and costs next to nothing. Thread-safe.
public final class Tracing implements AutoCloseable {
  /// Which ledger a call is about.
  public static final AttributeKey<String> LEDGER = AttributeKey.stringKey("tallystick.ledger");

  /// The code of docs/errors.md, if it was refused.
  public static final AttributeKey<String> PROBLEM = AttributeKey.stringKey("tallystick.problem");

  private static final String NAME = "tallystick";
  private static final Duration EXPORT_MAX = Duration.ofSeconds(10);
  private static final long CLOSE_SECONDS_MAX = 5;

  private final Tracer tracer;
  private final @Nullable SdkTracerProvider provider;

  private Tracing(OpenTelemetry telemetry, @Nullable SdkTracerProvider provider) {
    this.tracer = telemetry.getTracer(NAME);
    this.provider = provider;
  }

  public static Tracing off() {
    return new Tracing(OpenTelemetry.noop(), null);
  }

  /// @param endpoint of the collector, such as `http://localhost:4318/v1/traces`
  /// @param sampling the share of traces begun here that are recorded, 0 to 1; what a caller
  ///   recorded is recorded here too
  public static Tracing exporting(String endpoint, double sampling, String version) {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder().setEndpoint(endpoint).setTimeout(EXPORT_MAX).build();
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(sampling)))
            .setResource(
                Resource.getDefault()
                    .merge(
                        Resource.create(
                            Attributes.of(
                                AttributeKey.stringKey("service.name"),
                                NAME,
                                AttributeKey.stringKey("service.version"),
                                version))))
            .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
            .build();
    return new Tracing(OpenTelemetrySdk.builder().setTracerProvider(provider).build(), provider);
  }

  /// A span of a call that arrived; whoever begins it ends it.
  ///
  /// @param traceparent as the caller sent it; null if it did not
  public Span begin(String name, @Nullable String traceparent) {
    if (provider == null) {
      return Span.getInvalid();
    }
    Context caller =
        traceparent == null
            ? Context.root()
            : W3CTraceContextPropagator.getInstance()
                .extract(Context.root(), traceparent, TraceparentGetter.INSTANCE);
    return tracer.spanBuilder(name).setParent(caller).setSpanKind(SpanKind.SERVER).startSpan();
  }

  /// Sends what is waiting.
  @Override
  public void close() {
    if (provider != null) {
      provider.shutdown().join(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
  }

  /// The carrier is the header's value itself.
  private enum TraceparentGetter implements TextMapGetter<String> {
    INSTANCE;

    private static final String HEADER = "traceparent";

    @Override
    public Iterable<String> keys(String carrier) {
      return List.of(HEADER);
    }

    @Override
    public @Nullable String get(@Nullable String carrier, String key) {
      return key.equals(HEADER) ? carrier : null;
    }
  }
}
