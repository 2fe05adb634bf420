package io.tallystick.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/// The client and the auditor share nothing with the service but the bytes and their verifier.
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.tallystick.client", "io.tallystick.audit");

  @Test
  void needsNothingOfTheService() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.tallystick.storage..",
            "io.tallystick.server..",
            "io.tallystick.proxy..",
            "io.tallystick.master..",
            "io.tallystick.cli..",
            "io.tallystick.testkit..")
        .check(CLASSES);
  }

  /// What the seals' feature roots are compared with is computed by code of the auditor's own.
  @Test
  void replaysWithNothingButHashesAndValues() {
    classes()
        .that()
        .resideInAPackage("io.tallystick.audit.replay")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.jspecify..",
            "io.tallystick.audit.replay",
            "io.tallystick.crypto",
            "io.tallystick.merkle.patricia",
            "io.tallystick.model")
        .check(CLASSES);
  }

  @Test
  void keepsTheWireAtItsEdge() {
    noClasses()
        .that()
        .resideInAPackage("io.tallystick.client.trust")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.tallystick.api..", "io.grpc..", "com.google.protobuf..")
        .check(CLASSES);
  }
}
