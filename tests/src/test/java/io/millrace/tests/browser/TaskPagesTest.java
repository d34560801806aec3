package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The dashboard's pages about tasks. */
class TaskPagesTest {
  private static final String MARKUP = "<img src=x onerror=alert(1)>";

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @BeforeAll
  static void defineTasks() {
    define(
        """
        kind: task
        name: nightly-check
        description: "%s"
        schedule: {cron: "0 2 * * *", zone: Europe/Amsterdam}
        window: {from: 02:00, to: 06:00}
        chunks: {range: 1-20}
        instances: 4
        job: {command: [sh, -c, "echo $MILLRACE_CHUNK"]}
        """
            .formatted(MARKUP));
    define(
        """
        kind: task
        name: by-hand
        chunks: {range: 1-20}
        instances: 4
        job: {command: [sh, -c, "echo $MILLRACE_CHUNK"]}
        """);
  }

  /** Other classes share the cluster: a task that would run forever is paused and stopped. */
  @AfterAll
  static void stopTheSlowTask() {
    TaskClient tasks = CLUSTER.central(Role.OPERATOR).tasks();
    tasks.pause("slow", new TaskPause("its tests are done", null));
    tasks.runs("slow", null, 10).stream()
        .filter(run -> run.endedAt() == null)
        .forEach(run -> tasks.stop(run.id()));
  }

  @Test
  void aScheduleIsDescribedWithItsNextFiveTimes() {
    browser.page("#/tasks/nightly-check");
    browser.awaitText("main p", "02:00");
    browser.awaitText(".times li", "in ");
    assertThat(browser.elements(".times li")).hasSize(5);
  }

  @Test
  void aRunShowsItsFailedChunksAndCanRerunThem() throws IOException {
    define(
        """
        kind: task
        name: partly
        chunks: {range: 1-4}
        instances: 4
        job: {command: [sh, -c, "test $MILLRACE_CHUNK != 3"]}
        """);
    long run = CLUSTER.central().tasks().run("partly").id();
    browser.page("#/tasks/partly");
    browser.awaitText("tbody tr", "3 of 4");
    browser.awaitText("tbody tr", "failed");
    browser.click("tbody a", Long.toString(run));
    browser.awaitText("section[aria-label='Run " + run + "'] tbody tr", "exited with code 1");
    browser.awaitText("section[aria-label='Run " + run + "']", "3 done, 1 failed of 4");
    browser.picture("run");

    browser.click("button", "Rerun failed work");
    browser.awaitText("#toast", "Rerunning the failed work.");
  }

  @Test
  void plannedTimesThatDidNotRunAreCountedAndShown() {
    define(
        """
        kind: task
        name: slow
        schedule: {every: 1s, overlap: skip}
        job: {command: [sleep, "600"]}
        """);
    browser.page("#/tasks/slow");
    browser.awaitText("main p", "Planned times without a run");
    browser.awaitText("main p", "skipped; see the reasons below");
    browser.awaitText("tbody tr", "▲ skipped");
  }

  @Test
  void aNarrowWindowNeedsNoHorizontalScrolling() {
    browser.page("#/tasks/nightly-check");
    browser.awaitText(".times li", "in ");
    browser.width(400);
    try {
      assertThat(browser.scrollsSideways()).isFalse();
    } finally {
      browser.width(1400);
    }
  }

  private static void define(String yaml) {
    CLUSTER
        .central(Role.OPERATOR)
        .apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));
  }

  @Test
  void theTaskListShowsTheNextRunOfEachTask() throws IOException {
    browser.click("nav a", "Tasks");
    browser.awaitText("table tbody tr", "nightly-check");
    browser.awaitText("table tbody tr", "02:00");
    browser.awaitText("table tbody tr", "by-hand");
    browser.awaitText("table tbody tr", "on request only");
    browser.picture("tasks");
  }

  @Test
  void aTaskCanBeRunNowAndItsRunIsRecorded() throws IOException {
    browser.page("#/tasks/by-hand");
    browser.click("h1 button", "Run now");
    browser.click("dialog button", "Run now");
    browser.awaitText("table tbody tr", "succeeded");
    browser.awaitText("table tbody tr", "20 of 20");
    browser.awaitText("table tbody tr", "manual");
    browser.picture("task");
  }

  @Test
  void theReasonOfAPauseIsShownUntilItIsResumed() {
    browser.page("#/tasks/nightly-check");
    browser.awaitText(".times li", ":");
    browser.click("h1 button", "Pause");
    browser.type("dialog input[name=reason]", MARKUP);
    browser.click("dialog button", "Pause");
    browser.awaitText(".notice", "Paused by");
    browser.awaitText(".notice", MARKUP);
    assertThat(browser.elements("main img")).as("elements created from a reason's text").isEmpty();
    browser.click("h1 button", "Resume");
    browser.click("dialog button", "Resume");
    browser.awaitText("h1 button", "Pause");
  }
}
