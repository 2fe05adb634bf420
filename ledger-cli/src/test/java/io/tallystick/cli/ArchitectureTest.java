package io.tallystick.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.tallystick.journal.StateParams;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/// Goal: the walls between the modules hold, whatever a pom lets through. Here because this module
/// alone sees all others. The walls are drawn in docs/architecture.md.
@AnalyzeClasses(packages = "io.tallystick", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests WINGS = ArchTests.in(Wings.class);

  /// The packages of ledger-core. `crypto` is here without what is below it: `crypto.provider` is
  /// ledger-crypto.
  private static final String[] CORE = {
    "io.tallystick.cbor..",
    "io.tallystick.certificate..",
    "io.tallystick.cose..",
    "io.tallystick.crypto",
    "io.tallystick.evidence..",
    "io.tallystick.head..",
    "io.tallystick.journal..",
    "io.tallystick.lineage..",
    "io.tallystick.merkle..",
    "io.tallystick.misbehaviour..",
    "io.tallystick.model..",
    "io.tallystick.note..",
    "io.tallystick.receipt..",
    "io.tallystick.removal..",
    "io.tallystick.state..",
    "io.tallystick.tile..",
    "io.tallystick.time..",
    "io.tallystick.tledger..",
  };

  private static final String FILES = "io.tallystick.durable..";
  private static final String HASHING = "io.tallystick.hashing..";
  private static final String API = "io.tallystick.api..";
  private static final String PROVIDER = "io.tallystick.crypto.provider..";
  private static final String GPU = "io.tallystick.gpu..";
  private static final String STORAGE = "io.tallystick.storage..";
  private static final String NODE = "io.tallystick.node..";
  private static final String WIRE = "io.tallystick.wire..";
  private static final String SERVER = "io.tallystick.server..";
  private static final String MASTER = "io.tallystick.master..";
  private static final String PROXY = "io.tallystick.proxy..";
  private static final String EDGE = "io.tallystick.proxy.edge..";
  private static final String CLIENT = "io.tallystick.client..";
  private static final String AUDIT = "io.tallystick.audit..";
  private static final String CLI = "io.tallystick.cli..";
  private static final String TESTKIT = "io.tallystick.testkit..";
  private static final String[] JDK = {
    "java..", "javax.crypto..", "javax.security.auth.x500..", "org.jspecify.."
  };

  @ArchTest
  static final ArchRule CORE_NEEDS_ONLY_THE_JDK =
      classes()
          .that()
          .resideInAnyPackage(CORE)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(CORE).or(resideInAnyPackage(JDK)));

  @ArchTest
  static final ArchRule CORE_OPENS_NO_FILE =
      noClasses()
          .that()
          .resideInAnyPackage(CORE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.nio.file..");

  @ArchTest
  static final ArchRule FILES_NEED_ONLY_CORE =
      classes()
          .that()
          .resideInAPackage(FILES)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(CORE).or(resideInAnyPackage(JDK)).or(resideInAnyPackage(FILES)));

  @ArchTest
  static final ArchRule BULK_HASHING_NEEDS_ONLY_CORE =
      classes()
          .that()
          .resideInAPackage(HASHING)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(CORE).or(resideInAnyPackage(JDK)).or(resideInAnyPackage(HASHING)));

  @ArchTest
  static final ArchRule STORAGE_NEEDS_ONLY_CORE_HASHING_ROCKSDB_AND_A_CACHE =
      classes()
          .that()
          .resideInAPackage(STORAGE)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(CORE)
                  .or(resideInAnyPackage(JDK))
                  .or(
                      resideInAnyPackage(
                          HASHING, STORAGE, "org.rocksdb..", "com.github.benmanes.caffeine..")));

  /// Frames are the same in whatever a store keeps them.
  @ArchTest
  static final ArchRule FRAMING_KNOWS_NEITHER_STORES_NOR_FILES =
      noClasses()
          .that()
          .resideInAPackage("io.tallystick.storage.framing")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(STORAGE, "java.nio.file..")
                  .and(not(resideInAnyPackage("io.tallystick.storage.framing"))));

  /// Whoever hashes in bulk is given a `BatchHasher`.
  @ArchTest
  static final ArchRule JCUDA_IS_BEHIND_GPU_NATIVE =
      noClasses()
          .that()
          .resideOutsideOfPackage(GPU)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("jcuda..");

  @ArchTest
  static final ArchRule GPU_NATIVE_NEEDS_ONLY_CORE_HASHING_AND_JCUDA =
      classes()
          .that()
          .resideInAPackage(GPU)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(CORE)
                  .or(resideInAnyPackage(JDK))
                  .or(resideInAnyPackage(GPU, HASHING, "jcuda..")));

  /// The audit and storage among others: they work without it.
  @ArchTest
  static final ArchRule ONLY_THE_SERVER_AND_THE_COMMANDS_OPEN_A_GPU =
      noClasses()
          .that()
          .resideOutsideOfPackages(GPU, SERVER, CLI)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(GPU);

  @ArchTest
  static final ArchRule PROVIDERS_KNOW_ONLY_CORE =
      noClasses()
          .that()
          .resideInAPackage(PROVIDER)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.tallystick..")
                  .and(not(resideInAnyPackage(CORE)))
                  .and(not(resideInAnyPackage(PROVIDER))));

  /// Whoever needs signatures or time-stamp tokens is given them through core's interfaces.
  @ArchTest
  static final ArchRule BOUNCY_CASTLE_IS_BEHIND_THE_PROVIDERS =
      noClasses()
          .that()
          .resideOutsideOfPackages(PROVIDER, TESTKIT)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.bouncycastle..");

  @ArchTest
  static final ArchRule THE_FACE_OF_A_NODE_NEEDS_ONLY_CORE_HASHING_AND_FILES =
      classes()
          .that()
          .resideInAPackage(NODE)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(CORE)
                  .or(resideInAnyPackage(JDK))
                  .or(resideInAnyPackage(FILES, HASHING, NODE)));

  @ArchTest
  static final ArchRule THE_WIRE_NEEDS_ONLY_CORE_GRPC_AND_THE_FACE_OF_A_NODE =
      classes()
          .that()
          .resideInAPackage(WIRE)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(CORE)
                  .or(resideInAnyPackage(JDK))
                  .or(
                      resideInAnyPackage(
                          NODE,
                          WIRE,
                          "io.grpc..",
                          "io.netty.handler.ssl..",
                          "javax.net.ssl..",
                          "org.slf4j..")));

  /// A body behind a wire can stand where the one in this process does.
  @ArchTest
  static final ArchRule PROXY_AND_MASTER_SEE_NO_BODY_OF_A_NODE =
      noClasses()
          .that()
          .resideInAnyPackage(PROXY, MASTER)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(SERVER);

  @ArchTest
  static final ArchRule THE_PROXY_SEES_NO_STORAGE =
      noClasses()
          .that()
          .resideInAPackage(PROXY)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(STORAGE);

  /// A master reads and writes what all machines of a cluster share, and no ledger's bytes.
  @ArchTest
  static final ArchRule OF_STORAGE_THE_MASTER_SEES_ONLY_CLAIMS =
      noClasses()
          .that()
          .resideInAPackage(MASTER)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(STORAGE)
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.tallystick.storage.replicated",
                              "io.tallystick.storage.stream"))));

  @ArchTest
  static final ArchRule THE_SERVER_SEES_NOTHING_IN_FRONT_OF_IT =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(API, MASTER, PROXY, CLI, CLIENT, AUDIT);

  @ArchTest
  static final ArchRule THE_PROXY_DOES_NOT_SEE_ITS_CLIENTS =
      noClasses()
          .that()
          .resideInAnyPackage(PROXY, MASTER)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(CLI, CLIENT, AUDIT);

  @ArchTest
  static final ArchRule CLIENT_AND_AUDIT_SEE_NOTHING_OF_THE_SERVICE =
      noClasses()
          .that()
          .resideInAnyPackage(CLIENT, AUDIT)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STORAGE, NODE, SERVER, MASTER, PROXY, CLI);

  /// It runs on Java 21, which has no native memory.
  @ArchTest
  static final ArchRule THE_CLIENT_HASHES_WITHOUT_DEVICES =
      noClasses()
          .that()
          .resideInAnyPackage(API, CLIENT, PROVIDER)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(HASHING);

  @ArchTest
  static final ArchRule THE_AUDIT_IS_INDEPENDENT_OF_THE_CLIENT =
      noClasses()
          .that()
          .resideInAPackage(AUDIT)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CLIENT);

  /// What the seals' feature roots are compared with is computed by code of the auditor's own.
  @ArchTest
  static final ArchRule THE_AUDIT_REPLAYS_WITH_NOTHING_BUT_HASHES_AND_VALUES =
      classes()
          .that()
          .resideInAPackage("io.tallystick.audit.replay")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(JDK)
                  .or(
                      resideInAnyPackage(
                          "io.tallystick.audit.replay",
                          "io.tallystick.cbor",
                          "io.tallystick.crypto",
                          "io.tallystick.hashing",
                          "io.tallystick.merkle",
                          "io.tallystick.merkle.patricia",
                          "io.tallystick.model"))
                  .or(equivalentTo(StateParams.class)));

  /// The wings of the auditor: each may be seen by those behind it, and no arrow leads back.
  @ArchTest
  static final ArchRule THE_WINGS_OF_THE_AUDIT_STAND_IN_ONE_ORDER =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("finding")
          .definedBy("io.tallystick.audit.finding")
          .layer("source")
          .definedBy("io.tallystick.audit.source")
          .layer("chunk")
          .definedBy("io.tallystick.audit.chunk")
          .layer("replay")
          .definedBy("io.tallystick.audit.replay")
          .layer("statement")
          .definedBy("io.tallystick.audit.statement")
          .layer("options")
          .definedBy("io.tallystick.audit.options")
          .layer("history")
          .definedBy("io.tallystick.audit.history")
          .layer("audit")
          .definedBy("io.tallystick.audit")
          .layer("report")
          .definedBy("io.tallystick.audit.report")
          .layer("export")
          .definedBy("io.tallystick.audit.export")
          .layer("tree")
          .definedBy("io.tallystick.audit.tree")
          .layer("evidence")
          .definedBy("io.tallystick.audit.evidence")
          .whereLayer("finding")
          .mayNotAccessAnyLayer()
          .whereLayer("source")
          .mayOnlyAccessLayers("finding")
          .whereLayer("chunk")
          .mayOnlyAccessLayers("finding", "source", "replay")
          .whereLayer("replay")
          .mayNotAccessAnyLayer()
          .whereLayer("statement")
          .mayOnlyAccessLayers("finding", "source", "chunk", "replay")
          .whereLayer("options")
          .mayOnlyAccessLayers("finding", "source", "chunk", "replay", "statement")
          .whereLayer("history")
          .mayOnlyAccessLayers("finding", "source", "chunk", "replay", "statement", "options")
          .whereLayer("audit")
          .mayOnlyAccessLayers(
              "finding", "source", "chunk", "replay", "statement", "options", "history")
          .whereLayer("report")
          .mayOnlyAccessLayers("finding", "audit")
          .whereLayer("export")
          .mayOnlyAccessLayers(
              "finding", "source", "chunk", "statement", "options", "history", "audit")
          .whereLayer("tree")
          .mayOnlyAccessLayers("finding", "source")
          .whereLayer("evidence")
          .mayOnlyAccessLayers("finding", "source")
          .ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage(AUDIT));

  /// How an audit is made is nobody's business but its own. Besides what starts one and what shows
  /// one, `finding` is seen, because a report is made of findings and what an audit throws is one,
  /// and `options`, because `history` needs what is asked of it and stands below the entry.
  @ArchTest
  static final ArchRule OF_THE_AUDIT_OTHERS_SEE_ONLY_THE_FRONT =
      noClasses()
          .that()
          .resideOutsideOfPackage(AUDIT)
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(AUDIT)
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.tallystick.audit",
                              "io.tallystick.audit.evidence",
                              "io.tallystick.audit.export",
                              "io.tallystick.audit.finding",
                              "io.tallystick.audit.options",
                              "io.tallystick.audit.report",
                              "io.tallystick.audit.source",
                              "io.tallystick.audit.tree"))));

  @ArchTest
  static final ArchRule WHAT_THE_CLIENT_TRUSTS_KNOWS_NO_WIRE =
      noClasses()
          .that()
          .resideInAPackage("io.tallystick.client.trust")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(API, "io.grpc..", "com.google.protobuf..");

  /// At the service the wire stops in one package. In the SDK it stays out of what is kept and of
  /// what is audited: one class of the audit reads it.
  @ArchTest
  static final ArchRule WIRE_TYPES_STOP_AT_THE_EDGES =
      noClasses()
          .that(
              not(
                  resideInAnyPackage(
                      API,
                      EDGE,
                      TESTKIT,
                      "io.tallystick.client",
                      "io.tallystick.client.internal..",
                      "io.tallystick.client.lineage",
                      "io.tallystick.client.state",
                      "io.tallystick.client.wire")))
          .and()
          .haveNameNotMatching(
              "io\\.tallystick\\.audit\\.source\\.Remote(LogSource|Certificates|Removals)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(API);

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
  static final ArchRule WHAT_COMMANDS_PRINT_GOES_THROUGH_ONE_PRINTER =
      noClasses()
          .that()
          .resideInAPackage(CLI)
          .and()
          .resideOutsideOfPackage("io.tallystick.cli.terminal")
          .and()
          .doNotHaveSimpleName("HelpCommand") // our own words, with picocli's colours
          .should()
          .callMethod(CommandLine.class, "getOut")
          .orShould()
          .callMethod(CommandLine.class, "getErr");

  @ArchTest
  static final ArchRule ROCKSDB_IS_BEHIND_THE_META_STORE =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.tallystick.storage.meta")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.rocksdb..");

  @ArchTest
  static final ArchRule NOTHING_DELIVERED_NEEDS_THE_TEST_KIT =
      noClasses()
          .that()
          .resideOutsideOfPackage(TESTKIT)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(TESTKIT);

  @ArchTest
  static final ArchRule PACKAGES_FORM_NO_CYCLE =
      slices().assignedFrom(new PackageSlices()).should().beFreeOfCycles();

  /// The auditor computes again what the service has, and may call it the same. Wire types are
  /// named like what they carry.
  @ArchTest
  static void aNameOfAClassHasOneMeaning(JavaClasses all) {
    Map<String, List<String>> packages =
        all.stream()
            .filter(JavaClass::isTopLevelClass)
            .filter(not(resideInAnyPackage(API, TESTKIT, AUDIT)))
            .filter(each -> !each.getSimpleName().equals("package-info"))
            .collect(
                groupingBy(JavaClass::getSimpleName, mapping(JavaClass::getPackageName, toList())));
    packages.values().removeIf(of -> of.size() == 1);
    assertThat(packages).isEmpty();
  }
}
