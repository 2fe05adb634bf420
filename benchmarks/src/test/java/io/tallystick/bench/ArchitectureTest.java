package io.tallystick.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Goal: benchmarks are no part of the product. Method: the packages of this module's classes.
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void noBenchmarkIsInAPackageOfTheProduct() {
    assertThat(CLASSES).hasSizeGreaterThan(50);
    classes().should().resideInAPackage("io.tallystick.bench..").check(CLASSES);
  }

  @Test
  void packagesFormNoCycle() {
    slices().matching("io.tallystick.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  /// As `ledger-cli` has it for all modules that it sees.
  @Test
  void ofTheAuditOnlyTheFrontIsSeen() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.tallystick.audit.chunk",
            "io.tallystick.audit.history",
            "io.tallystick.audit.replay",
            "io.tallystick.audit.statement")
        .check(CLASSES);
  }
}
