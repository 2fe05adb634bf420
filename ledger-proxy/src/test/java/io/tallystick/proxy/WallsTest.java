package io.tallystick.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/// Goal: the wire stops at the edge and the framework at the application.
@AnalyzeClasses(
    packages = {"io.tallystick.proxy", "io.tallystick.master", "io.tallystick.server"},
    importOptions = ImportOption.DoNotIncludeTests.class)
class WallsTest {
  @ArchTest
  static final ArchRule WIRE_TYPES_STOP_AT_THE_EDGE =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.tallystick.proxy.edge..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.tallystick.api..");

  @ArchTest
  static final ArchRule SPRING_IS_IN_THE_APPLICATION_ONLY =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.tallystick.proxy", "io.tallystick.proxy.logs", "io.tallystick.proxy.rest")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.springframework..");

  @ArchTest
  static final ArchRule THE_EXECUTE_PHASE_KNOWS_NO_GRPC =
      noClasses()
          .that()
          .resideInAPackage("io.tallystick.proxy.execute..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.grpc..", "com.google.protobuf..");
}
