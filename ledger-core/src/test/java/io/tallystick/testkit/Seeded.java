package io.tallystick.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test that takes a {@link java.util.SplittableRandom} and is run with several {@link Seeds}:
/// the same in every build, fresh ones in the long form. A failure's message begins with the flag
/// that repeats the run: `-Dtallystick.seed=…`.
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SeededExtension.class)
public @interface Seeded {
  /// Number of seeds tried beside the {@link #known} ones; one if a seed is given on the command
  /// line.
  int runs() default 1;

  /// Number of seeds tried in the long form ({@link Effort}), if that is another than {@link
  /// #runs}.
  int longRuns() default 0;

  /// Seeds that once failed: they are tried in every form.
  long[] known() default {};
}
