package io.tallystick.client.testkit;

import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A service for tests: `@ExtendWith(TallystickExtension.class)`, or a static field with
/// `@RegisterExtension` where {@link #target} is needed outside of tests. It starts before the
/// first test that has the extension, all test classes of a run share it, and it stops at the end
/// of the run.
///
/// Tests, constructors and life cycle methods may have parameters: a {@link LedgerHandle}, which is
/// a new ledger with a state, the {@link ClientKey} that owns it, the {@link TallyClient}, and the
/// {@link LocalTallystick} itself. Each test has a ledger of its own; where the constructor or a
/// `@BeforeAll` method asks for one, all tests of the class have that.
public final class TallystickExtension
    implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(TallystickExtension.class);

  private volatile @Nullable LocalTallystick started;

  public TallystickExtension() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    started = service(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    started = service(context);
  }

  /// Where the service listens for gRPC.
  ///
  /// @throws IllegalStateException before the first test
  public String target() {
    return service().target();
  }

  /// The service itself.
  ///
  /// @throws IllegalStateException before the first test
  public LocalTallystick service() {
    LocalTallystick now = started;
    if (now == null) {
      throw new IllegalStateException("the service is started before the first test, not yet");
    }
    return now;
  }

  private static LocalTallystick service(ExtensionContext context) {
    // The store closes it at the end of the run.
    return Objects.requireNonNull(
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(
                LocalTallystick.class, _ -> LocalTallystick.start(), LocalTallystick.class));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == LedgerHandle.class
        || type == ClientKey.class
        || type == TallyClient.class
        || type == LocalTallystick.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    LocalTallystick service = service(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == LedgerHandle.class) {
      return ledger(service, context);
    }
    if (type == ClientKey.class) {
      return service.key();
    }
    return type == TallyClient.class ? service.client() : service;
  }

  private static LedgerHandle ledger(LocalTallystick service, ExtensionContext context) {
    return Objects.requireNonNull(
        context
            .getStore(NAMESPACE)
            .computeIfAbsent(LedgerHandle.class, _ -> found(service), LedgerHandle.class));
  }

  private static LedgerHandle found(LocalTallystick service) {
    try {
      return service.found("a test's");
    } catch (TallyException e) {
      throw new ParameterResolutionException("no ledger: " + e.getMessage(), e);
    }
  }
}
