package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.RetryPolicy;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The dashboard's pages about jobs and execution nodes. */
class JobPagesTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String MARKUP = "<img src=x onerror=alert(1)>";

  /** Not shared: a test drains a node, and jobs left running by other classes would delay that. */
  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(1, 2, 4);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  private static CentralClient central() {
    return CLUSTER.central(Role.OPERATOR);
  }

  private static long submit(JobDraft draft) {
    return central().submit(draft.spec()).id();
  }

  @Test
  void aWaitingJobShowsItsWaitReasonAndTheReasonOfEachNode() throws IOException {
    long id = submit(JobDraft.command("true").name(MARKUP).requires("memory >= 900TB"));
    browser.page("#/jobs/" + id);
    browser.awaitText(".reasons li", "no match");
    browser.awaitText(".reasons li", "memory >= 900TB");
    browser.awaitText("table tbody tr", "e1");
    browser.awaitText("table tbody tr", "e2");
    assertThat(browser.elements("main img")).as("elements created from a job's text").isEmpty();
    browser.picture("waiting-job");

    browser.click("button", "Cancel");
    browser.click("dialog button", "Cancel the job");
    browser.awaitText("h1 .state", "cancelled");
    browser.click("summary", "Waiting history");
    browser.awaitText("details[open]", "no match");
  }

  @Test
  void aHeldJobIsReleasedAndRuns() {
    long id = submit(JobDraft.command("true").name("held one").hold(true));
    browser.page("#/jobs/" + id);
    browser.awaitText("h1 .state", "held");
    browser.click("button", "Release");
    browser.awaitText("h1 .state", "succeeded");
  }

  @Test
  void aSearchIsKeptInTheUrlAndItsJobsCanBeCancelledAndDeletedTogether() throws IOException {
    List<Long> ids =
        List.of(
            submit(JobDraft.command("true").name("batch one").tags(List.of("together")).hold(true)),
            submit(
                JobDraft.command("true").name("batch two").tags(List.of("together")).hold(true)));
    browser.page("#/jobs?search=tag%3Atogether");
    browser.awaitText("table tbody tr", "batch one");
    browser.awaitText("table tbody tr", "batch two");
    assertThat(browser.elements("table tbody tr")).hasSize(2);
    browser.picture("search");

    browser.click(".buttons button", "Cancel");
    browser.awaitText("dialog p", "2 will change");
    browser.click("dialog button", "Cancel");
    Awaitility.await("both are cancelled")
        .atMost(SOON)
        .until(
            () ->
                ids.stream().allMatch(id -> central().job(id).job().state() == JobState.CANCELLED));

    browser.click(".buttons button", "Delete");
    browser.awaitText("dialog p", "2 of them have ended and are deleted permanently");
    assertThat(browser.elements("dialog button[type=submit]:disabled"))
        .as("before the number of jobs that only a search names is confirmed")
        .hasSize(1);
    browser.type("dialog input[name=confirm]", "2");
    browser.click("dialog button", "Delete");
    browser.awaitText("#toast", "2 deleted");
    browser.awaitText("main .empty", "No job matches");
  }

  @Test
  void anUnknownSearchTermIsExplained() {
    browser.page("#/jobs?search=colour%3Ared");
    browser.awaitText("main .notice", "colour");
    // The refused request is not an error of the page.
    browser.errors();
  }

  @Test
  void anArrayPageShowsProgressAndElements() throws IOException {
    long id = submit(JobDraft.command("true").name("many").array(ArrayRange.parse("1-12%3")));
    browser.page("#/jobs/" + id);
    browser.awaitText("dl.facts", "12 of 12");
    browser.click("a", "Elements");
    browser.awaitText("table tbody tr", id + "[12]");
    browser.picture("array");
  }

  @Test
  void aRunningAttemptDoesNotShowTheResultOfTheOneBefore() throws IOException {
    Path tried = CLUSTER.folder("tried").resolve("once");
    String script = "[ -e $0 ] && exec sleep 600; touch $0; kill -TERM $$";
    long id =
        submit(
            JobDraft.command("sh", "-c", script, tried.toString())
                .name("second try")
                .retry(RetryPolicy.upTo(1)));
    Awaitility.await("the second attempt")
        .atMost(SOON)
        .until(
            () -> central().job(id).job(),
            job -> job.attempt() == 2 && job.state() == JobState.RUNNING);
    browser.page("#/jobs/" + id);
    browser.awaitText("table tbody tr", "signal 15");
    assertThat(browser.elements("dl.facts dt"))
        .extracting(WebElement::getText)
        .doesNotContain("end", "reason", "ran");
    browser.page("#/jobs");
    browser.awaitText("table tbody tr", "second try");
    assertThat(browser.elements("table tbody tr"))
        .extracting(WebElement::getText)
        .filteredOn(row -> row.contains("second try"))
        .singleElement()
        .satisfies(row -> assertThat(row).contains("running").doesNotContain("signal"));
    central().cancel(id);
  }

  @Test
  void longNamesAndReasonsFitTheirCards() throws IOException {
    String longName = "a name that is as long as the names of generated reports are ".repeat(3);
    submit(JobDraft.command("true").name(longName).requires("memory >= 900TB"));
    submit(JobDraft.command("sh", "-c", "kill -TERM $$").name(longName + "2"));
    browser.width(1280);
    try {
      browser.page("#/jobs");
      browser.awaitText("table tbody tr", "ended by signal 15");
      assertThat(browser.overfullCards()).isEmpty();
      browser.picture("long-jobs");
    } finally {
      browser.width(1400);
    }
  }

  @Test
  void anExecutionNodeCanBeDrainedAndReturnedToService() throws IOException {
    browser.page("#/execution-nodes/e2");
    browser.click(".buttons button", "Drain");
    browser.type("dialog input[name=reason]", MARKUP + Keys.ENTER);
    browser.awaitText("main .notice", "Drained");
    browser.awaitText("main .notice", MARKUP);
    assertThat(CLUSTER.central(Role.ADMIN).executionNodes())
        .filteredOn(node -> node.name().equals("e2"))
        .allMatch(node -> node.status() == NodeStatus.DRAINED);
    assertThat(browser.elements("main img")).as("elements created from a reason's text").isEmpty();
    browser.picture("execution-node");

    browser.click(".buttons button", "Return to service");
    browser.click("dialog button", "Return to service");
    browser.awaitText(".buttons button", "Drain");
  }

  @Test
  void sharesAndLicencesCanBeViewedAndSet() throws IOException {
    long holder =
        submit(JobDraft.command("sleep", "60").name("holder").licences(Map.of("matlab", 1)));
    browser.page("#/shares");
    browser.click("button", "Define a licence");
    browser.type("dialog input[name=name]", "matlab");
    browser.click("dialog button", "Set");
    browser.awaitText("table tbody tr", "matlab");
    browser.awaitText("table tbody tr", "1 of 1");
    browser.awaitText("table tbody tr", holder + ".1");
    browser.picture("shares");
    central().cancel(holder);
  }
}
