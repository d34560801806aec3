package io.millrace.tests.house;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.queuenode.load.LoadSettings;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The arrows of the house and what may be seen where (DESIGN §2). */
class ArrowsTest {
  private static final JavaClasses PRODUCTION =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.millrace");

  private static final String[] PURE = {
    "..balancing..", "..pacing", "..placement", "..weights", "..partitioning.."
  };

  @Test
  void arrowsBetweenModulesPointOneWay() {
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
            .layer("command line")
            .definedBy("io.millrace.cli..")
            .whereLayer("command line")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("queue node")
            .mayOnlyBeAccessedByLayers("command line", "simulator")
            .whereLayer("manager")
            .mayOnlyBeAccessedByLayers("command line", "simulator")
            .whereLayer("load balancer")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("execution node")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("simulator")
            .mayOnlyBeAccessedByLayers("command line")
            .whereLayer("platform")
            .mayOnlyBeAccessedByLayers(
                "queue node", "load balancer", "execution node", "manager", "command line"));
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
  void decisionCodeIsPure() {
    check(
        classes()
            .that()
            .resideInAnyPackage(PURE)
            .and()
            .resideOutsideOfPackages("io.millrace.api..", "io.millrace.simulator..")
            .should()
            .onlyDependOnClassesThat(
                resideInAnyPackage(
                        "io.millrace.api..",
                        "io.millrace..balancing..",
                        "io.millrace.manager.pacing",
                        "io.millrace.manager.partitioning",
                        "io.millrace.manager.placement",
                        // Expressions over snapshots; pure too, but for the library that runs them.
                        "io.millrace.manager.requirement",
                        "io.millrace.manager.weights",
                        "java.lang..",
                        "java.util",
                        "java.util.function",
                        "java.util.stream",
                        "java.util.random",
                        "java.util.regex",
                        // Buffers and their encodings, nothing that reads or writes.
                        "java.nio",
                        "java.nio.charset",
                        "java.time..",
                        "java.math",
                        "com.fasterxml.jackson.annotation")
                    // The thresholds of a node's states are settings, and no part of metering.
                    .or(type(LoadSettings.class))));
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PURE)
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class));
  }

  @Test
  void sqlStaysInStoresAndTheDatabasePackages() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("..store..", "io.millrace.platform.database..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..")
            .orShould()
            .callMethod(handle(), "createQuery", String.class)
            .orShould()
            .callMethod(handle(), "createUpdate", String.class)
            .orShould()
            .callMethod(handle(), "execute", String.class, Object[].class));
  }

  @Test
  void hazelcastStaysInMembership() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.millrace.platform.membership..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.hazelcast.."));
  }

  @Test
  void quartzStaysInTheCalendar() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage("io.millrace.manager.calendar")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.quartz.."));
  }

  @Test
  void schedulesAreDecidedWithoutClocksAndStores() {
    check(
        classes()
            .that()
            .resideInAnyPackage("io.millrace.manager.calendar", "io.millrace.manager.schedule")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "io.millrace.api..",
                "io.millrace.manager.calendar",
                "io.millrace.manager.schedule",
                "java.lang..",
                "java.util..",
                "java.text",
                "java.time..",
                "java.nio.charset",
                "com.google.common.hash",
                "org.quartz"));
  }

  @Test
  void javalinStaysAtTheEdge() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages("io.millrace.platform.http..", "..web..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.javalin..", "org.eclipse.jetty.."));
  }

  @Test
  void timeComesFromTheClock() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.millrace.platform.time..", "io.millrace.platform.lifecycle..")
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
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

  private static Class<?> handle() {
    return org.jdbi.v3.core.Handle.class;
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(PRODUCTION);
  }
}
