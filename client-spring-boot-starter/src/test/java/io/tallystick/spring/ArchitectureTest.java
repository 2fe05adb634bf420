package io.tallystick.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/// Goal: the starter needs the client's own packages, Spring, and nothing else of this project.
@AnalyzeClasses(
    packages = "io.tallystick.spring",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule NEEDS_ONLY_THE_CLIENT_AND_SPRING =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.tallystick.spring",
              "io.tallystick.client",
              "io.tallystick.client.failure",
              "io.tallystick.client.journal",
              "io.tallystick.client.trust",
              // What the client's answers are made of.
              "io.tallystick.head",
              "io.tallystick.journal",
              "io.tallystick.model",
              "java..",
              "org.jspecify..",
              "org.springframework..");
}
