package io.tallystick.testkit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

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
    Long given = Long.getLong(SEED_PROPERTY);
    LongStream seeds =
        given != null
            ? LongStream.of(given)
            : seeds(context.getRequiredTestClass(), context.getRequiredTestMethod());
    return seeds.mapToObj(Run::new);
  }

  static LongStream seeds(Class<?> testClass, Method method) {
    Seeded seeded = method.getAnnotation(Seeded.class);
    int longRuns = seeded.longRuns() == 0 ? seeded.runs() : seeded.longRuns();
    int count = Seeds.count(Effort.of(seeded.runs(), longRuns));
    return LongStream.concat(
        LongStream.of(seeded.known()),
        Seeds.of(testClass.getName() + "#" + method.getName(), count));
  }

  private record Run(long seed)
      implements TestTemplateInvocationContext,
          ParameterResolver,
          TestExecutionExceptionHandler,
          LifecycleMethodExecutionExceptionHandler {
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

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      throw withSeed(failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(
        ExtensionContext context, Throwable failure) throws Throwable {
      throw withSeed(failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      throw withSeed(failure);
    }

    /// Reports name a run by its number alone; the failure says which seed it had.
    private Throwable withSeed(Throwable failure) {
      if (failure instanceof TestAbortedException) {
        return failure;
      }
      String said =
          failure instanceof AssertionError && failure.getMessage() != null
              ? failure.getMessage()
              : failure.toString();
      AssertionError named =
          new AssertionError(
              String.format(Locale.ROOT, "-D%s=%d: %s", SEED_PROPERTY, seed, said.strip()),
              failure);
      named.setStackTrace(failure.getStackTrace());
      return named;
    }
  }
}
