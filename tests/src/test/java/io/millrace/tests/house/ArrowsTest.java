package io.millrace.tests.house;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.api.Pure;
import io.millrace.platform.document.NearestName;
import io.millrace.queuenode.load.LoadSettings;
import io.millrace.tests.statement.StoreCalls;
import java.time.Clock;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiPredicate;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;

/** The permitted dependencies between modules, packages and libraries (docs/architecture.md). */
class ArrowsTest {
  private static final JavaClasses PRODUCTION =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          // Tests and fakes of a module, which are a jar here.
          .withImportOption(place -> !place.contains("-tests.jar"))
          .importPackages("io.millrace");

  private static final DescribedPredicate<JavaClass> PURE =
      new DescribedPredicate<>("are marked as pure, or nested in such a type") {
        @Override
        public boolean test(JavaClass type) {
          JavaClass one = type.getBaseComponentType();
          return one.isAnnotatedWith(Pure.class)
              || one.getEnclosingClass().map(this::test).orElse(false);
        }
      };

  private static final DescribedPredicate<JavaClass> RECORD_BUILDERS =
      new DescribedPredicate<>("are generated builders of records") {
        @Override
        public boolean test(JavaClass type) {
          return type.getSimpleName().endsWith("Builder")
              || type.getEnclosingClass().map(this::test).orElse(false);
        }
      };

  private static final DescribedPredicate<JavaMethodCall> READS_BODY =
      calls(
          "read the body of a request",
          (owner, method) ->
              (owner.isAssignableTo("io.javalin.http.Context") && method.startsWith("body"))
                  || (owner.isAssignableTo("jakarta.servlet.ServletRequest")
                      && Set.of("getInputStream", "getReader").contains(method)));

  private static final DescribedPredicate<JavaMethodCall> READS_PARAMETER =
      calls(
          "read a parameter of a request",
          (owner, method) ->
              (owner.isAssignableTo("io.javalin.http.Context")
                      && (method.startsWith("queryParam")
                          || method.startsWith("pathParam")
                          || method.startsWith("formParam")
                          || method.equals("queryString")))
                  || (owner.isAssignableTo("jakarta.servlet.ServletRequest")
                      && method.startsWith("getParameter")));

  private static final DescribedPredicate<JavaMethodCall> READS_DATE =
      calls(
          "reads the date",
          (owner, name) ->
              owner.getPackageName().equals("java.time") && name.equals("now")
                  || owner.isEquivalentTo(Clock.class) && name.startsWith("system")
                  || owner.isEquivalentTo(System.class) && name.equals("currentTimeMillis"));

  private static final DescribedPredicate<JavaMethodCall> READS_TIME =
      READS_DATE.or(
          calls(
              "reads the time",
              (owner, name) -> owner.isEquivalentTo(System.class) && name.equals("nanoTime")));

  private static final DescribedPredicate<JavaMethodCall> READS_SURROUNDINGS =
      calls(
          "reads its surroundings or chance",
          (owner, name) ->
              owner.isEquivalentTo(System.class)
                      && !Set.of("arraycopy", "identityHashCode").contains(name)
                  || owner.isEquivalentTo(Math.class) && name.equals("random")
                  || owner.isEquivalentTo(UUID.class) && name.equals("randomUUID"));

  private static final DescribedPredicate<JavaMethodCall> MAKES_STATEMENT =
      calls(
          "makes a statement",
          (owner, name) -> owner.isAssignableTo(Handle.class) && StoreCalls.MAKE.contains(name));

  @Test
  void modulesDependOnEachOtherInOneDirection() {
    check(
        layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("api")
            .definedBy("io.millrace.api..")
            .layer("platform")
            .definedBy("io.millrace.platform..")
            .layer("queue node")
            .definedBy("io.millrace.queuenode..")
            .layer("load balancer")
            .definedBy("io.millrace.loadbalancer..")
            .layer("execution node")
            .definedBy("io.millrace.executor..")
            .layer("manager")
            .definedBy("io.millrace.manager..")
            .layer("simulator")
            .definedBy("io.millrace.simulator..")
            .layer("benchmarks")
            .definedBy("io.millrace.bench..")
            .layer("command line")
            .definedBy("io.millrace.cli..")
            .whereLayer("command line")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("queue node")
            .mayOnlyBeAccessedByLayers("command line", "simulator")
            .whereLayer("manager")
            .mayOnlyBeAccessedByLayers("command line", "simulator", "benchmarks")
            .whereLayer("load balancer")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("execution node")
            .mayOnlyBeAccessedByLayers("command line", "benchmarks")
            .whereLayer("simulator")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("benchmarks")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("platform")
            .mayOnlyBeAccessedByLayers(
                "queue node",
                "load balancer",
                "execution node",
                "manager",
                "benchmarks",
                "command line"));
  }

  @Test
  void apiDependsOnJacksonOnly() {
    check(
        classes()
            .that()
            .resideInAPackage("io.millrace.api..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.millrace.api..", "java..", "com.fasterxml.jackson.."));
  }

  @Test
  void packagesHaveNoCycles() {
    check(slices().matching("io.millrace.(**)").should().beFreeOfCycles());
  }

  @Test
  void pureTypesPerformNoInputOrOutput() {
    assertThat(PRODUCTION.that(PURE)).hasSizeGreaterThan(100);
    check(
        classes()
            .that(PURE)
            .should()
            .onlyDependOnClassesThat(
                PURE.or(
                        resideInAnyPackage(
                            "io.millrace.api..",
                            "java.lang..",
                            "java.util",
                            "java.util.function",
                            "java.util.stream",
                            "java.util.random",
                            "java.util.regex",
                            // Buffers and encodings, but no input or output.
                            "java.nio",
                            "java.nio.charset",
                            "java.text",
                            "java.time..",
                            "java.math",
                            "com.fasterxml.jackson.annotation",
                            "com.google.common.hash",
                            "com.google.common.collect",
                            // Calendars and expressions, evaluated on the arguments only.
                            "org.quartz",
                            "dev.cel.."))
                    .or(RECORD_BUILDERS)
                    .or(belongToAnyOf(LoadSettings.class, NearestName.class))));
    check(
        noClasses()
            .that(PURE)
            .should()
            .callMethodWhere(READS_TIME.or(READS_SURROUNDINGS))
            .orShould()
            .dependOnClassesThat(belongToAnyOf(Thread.class, ProcessBuilder.class, Runtime.class)));
  }

  @Test
  void typesOfWorkflowGraphsArePure() {
    assertThat(PRODUCTION.that(resideInAPackage("io.millrace.manager.graph")))
        .hasSizeGreaterThan(10)
        .filteredOn(type -> !type.getSimpleName().equals("package-info"))
        .allMatch(PURE);
  }

  @Test
  void sqlIsConfinedToDaosAndTheEventStore() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("..store..", "io.millrace.platform.database..")
            .and()
            .haveSimpleNameNotEndingWith("Dao")
            .and()
            // Column mappers that several Daos of a package share.
            .haveSimpleNameNotEndingWith("Columns")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..")
            .orShould()
            .callMethodWhere(MAKES_STATEMENT));
    check(
        noClasses()
            .that()
            .haveSimpleNameEndingWith("Columns")
            .should()
            .callMethodWhere(MAKES_STATEMENT));
  }

  @Test
  void hazelcastIsConfinedToMembership() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.millrace.platform.membership..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.hazelcast.."));
  }

  @Test
  void quartzIsConfinedToSchedules() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.millrace.manager.schedule")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.quartz.."));
  }

  @Test
  void javalinIsConfinedToHttpPackages() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.platform.http..", "..http..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.javalin..", "org.eclipse.jetty.."));
  }

  @Test
  void bodiesAreReadOnlyWithinTheBounds() {
    check(
        noClasses()
            .that()
            .haveNameNotMatching("io\\.millrace\\.platform\\.http\\.RequestBodies(\\$.*)?")
            .should()
            .callMethodWhere(READS_BODY)
            .because("Requests.body and Requests.stream bound size, time, memory and readers"));
  }

  @Test
  void parametersAreReadOnlyAsTheRoutesDescribeThem() {
    check(
        noClasses()
            .that()
            .haveNameNotMatching("io\\.millrace\\.platform\\.http\\.(Requests|QueryCheck)(\\$.*)?")
            .should()
            .callMethodWhere(READS_PARAMETER)
            .because("Requests.value reads what the description of the route names"));
  }

  @Test
  void timeIsReadFromTheInjectedClock() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.millrace.platform.clock..", "io.millrace.platform.lifecycle..")
            .should()
            .callMethodWhere(READS_DATE)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .because("one Clock is injected, and nothing sleeps without an owner"));
  }

  @Test
  void commandLineClientStartsWithoutTheHeavyHttpClient() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage("io.millrace.api..", "io.millrace.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.net.http.."));
  }

  private static DescribedPredicate<JavaMethodCall> calls(
      String description, BiPredicate<JavaClass, String> method) {
    return new DescribedPredicate<>(description) {
      @Override
      public boolean test(JavaMethodCall call) {
        return method.test(call.getTargetOwner(), call.getName());
      }
    };
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(PRODUCTION);
  }
}
