package io.tallystick.testkit;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/// Runs a {@link Seeded} test once per seed.
final class SeededExtension implements TestTemplateInvocationContextProvider {
  private static final String SEED_PROPERTY = "tallystick.seed";

  SeededExtension() {}

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return context.getRequiredTestMethod().isAnnotationPresent(Seeded.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    Seeded seeded = context.getRequiredTestMethod().getAnnotation(Seeded.class);
    int runs = seeded.runs();
    int longRuns = seeded.longRuns() == 0 ? runs : seeded.longRuns();
    return seeds(Effort.of(runs, longRuns)).mapToObj(Run::new);
  }

  private static LongStream seeds(int runs) {
    Long given = Long.getLong(SEED_PROPERTY);
    return given != null ? LongStream.of(given) : new SplittableRandom().longs(runs);
  }

  private record Run(long seed) implements TestTemplateInvocationContext, ParameterResolver {
    @Override
    public String getDisplayName(int invocationIndex) {
      return String.format(Locale.ROOT, "-D%s=%d", SEED_PROPERTY, seed);
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == SplittableRandom.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return new SplittableRandom(seed);
    }
  }
}
