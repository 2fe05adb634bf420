package io.tallystick.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test that takes a {@link java.util.SplittableRandom} and is run with several fresh seeds. The
/// display name is the flag that repeats a run: `-Dtallystick.seed=…`.
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SeededExtension.class)
public @interface Seeded {
  /// Number of seeds tried; one if a seed is given on the command line.
  int runs() default 1;

  /// Number of seeds tried in the long form ({@link Effort}), if that is another than {@link
  /// #runs}.
  int longRuns() default 0;
}
