package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.EventMedia;
import io.millrace.api.job.JobDraft;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** The dashboard's overview, job and queue pages. */
class DashboardTest {
  private static final String MARKUP = "<img src=x onerror=alert(1)>";

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private static long job;

  private final Browser browser = BROWSER.get();

  @BeforeAll
  static void makeSomethingToSee() {
    CLUSTER.define(
        """
        kind: queue
        name: letters
        pacing: {tick: 200ms}
        worker: {command: [sh, -c, "cat > /dev/null"]}
        """);
    CLUSTER
        .producer()
        .send("letters", "first", EventMedia.JSON, "[1,2,3]".getBytes(StandardCharsets.UTF_8));
    List<String> command = List.of("sh", "-c", "echo 'a line <b>of output</b>'");
    job = CLUSTER.central(Role.OPERATOR).submit(JobDraft.command(command).name(MARKUP).spec()).id();
  }

  @Test
  void aLoginLinkWorksOnceAndTheOverviewUpdatesLive() throws IOException {
    String link = BROWSER.link();
    browser.forgetCookies();
    browser.go(link);
    browser.click("button", "Log in");
    browser.awaitText("#live", "live");
    browser.awaitText("table tbody tr", "letters");
    browser.awaitText("table tbody tr", "q1 500 · q2 500");
    assertThat(browser.address()).isEqualTo(CLUSTER.address() + "/");
    assertThat(browser.elements("canvas")).as("charts").isNotEmpty();
    browser.picture("overview");

    browser.forgetCookies();
    browser.go(link);
    browser.click("button", "Log in");
    browser.awaitText("label", "Token");
    assertThat(browser.address()).isEqualTo(CLUSTER.address() + "/login?link=invalid");
    browser.awaitText("#problem", "it was used before, or it is older than ten minutes");
    browser.picture("login");
  }

  @ParameterizedTest
  @ValueSource(strings = {"#/queues/letters?span=6h", "#//example.org/", "#https://example.org/"})
  void thePageThatWasAskedForOpensAfterTheLogin(String page) {
    browser.forgetCookies();
    browser.go("about:blank");
    browser.go(CLUSTER.address() + "/" + page);
    browser.awaitText("label", "Token");
    browser.type("#token", TokenFiles.read(CLUSTER.tokenFile(Role.VIEWER)) + Keys.ENTER);
    browser.awaitText("#live", "live");
    assertThat(browser.address()).isEqualTo(CLUSTER.address() + "/" + page);
    // The refused requests of before are not errors of the page.
    browser.errors();
  }

  @Test
  void aJobPageShowsTheOutputWithMarkupEscaped() throws IOException {
    browser.click("nav a", "Jobs");
    browser.awaitText("table tbody tr", MARKUP);
    browser.picture("jobs");
    browser.click("table tbody a", String.valueOf(job));
    browser.awaitText("h1", "Job " + job + ": " + MARKUP);
    browser.awaitText("pre.log", "a line <b>of output</b>");
    browser.awaitText("table tbody tr", "succeeded");
    assertThat(browser.elements("main img, main b"))
        .as("elements created from a job's text")
        .isEmpty();
    browser.picture("job");
  }

  @Test
  void theErrorOutputOfAFailedJobIsSelectedAndItsCommandKeepsItsQuotes() {
    List<String> command = List.of("sh", "-c", "echo to stdout; echo 'the cause' >&2; exit 3");
    JobDraft draft = JobDraft.command(command).name("fails");
    long failing = CLUSTER.central(Role.OPERATOR).submit(draft.spec()).id();
    browser.click("nav a", "Jobs");
    browser.click("table tbody a", String.valueOf(failing));
    browser.awaitText("pre.log", "the cause");
    browser.awaitText("button[aria-pressed=true]", "stderr");
    browser.awaitText("a[download='job-" + failing + "-attempt-1-stderr.log']", "Download");
    browser.awaitText("dd", "sh -c 'echo to stdout; echo '\\''the cause'\\'' >&2; exit 3'");
    browser.click("button", "stdout");
    browser.awaitText("pre.log", "to stdout");
  }

  @Test
  void aJobIsCancelledOnlyAfterAQuestionThatClosesOnAnotherPage() {
    JobDraft draft = JobDraft.command(List.of("sleep", "600")).name("goes on");
    long running = CLUSTER.central(Role.OPERATOR).submit(draft.spec()).id();
    browser.click("nav a", "Jobs");
    browser.click("table tbody a", String.valueOf(running));
    browser.click("button", "Cancel");
    browser.awaitText("dialog h2", "Cancel job " + running + "?");
    browser.leaveTo("#/jobs");
    browser.awaitText("h1", "Jobs");
    assertThat(browser.elements("dialog")).isEmpty();
    browser.click("table tbody a", String.valueOf(running));
    browser.click("button", "Cancel");
    browser.click("dialog button", "Cancel the job");
    browser.awaitText("h1", "cancelled");
  }

  @Test
  void aQueuePageShowsSegmentsManagersAndDecisions() throws IOException {
    browser.click("nav a", "Queues");
    browser.click("table tbody a", "letters");
    browser.awaitText("h1", "Queue letters");
    browser.awaitText("table tbody tr", "q1");
    browser.awaitText("table tbody tr", "waiting +");
    browser.awaitText("table tbody tr", "pace:letters@q2");
    browser.picture("queue");

    browser.click("nav a", "Nodes");
    browser.awaitText("table tbody tr", "e2");
    browser.picture("nodes");
  }

  @Test
  void aPageThatIsLeftKeepsNoConnectionToTheServer() {
    browser.awaitText("#live", "live");
    browser.withModule(
        "live.js",
        """
        const close = EventSource.prototype.close;
        EventSource.prototype.close = function () {
          sessionStorage.setItem("closed", this.url);
          close.call(this);
        };""");
    browser.go("about:blank");
    browser.go(CLUSTER.address().toString());
    browser.awaitText("#live", "live");
    assertThat(browser.withModule("live.js", "return sessionStorage.getItem('closed')"))
        .isEqualTo(CLUSTER.address() + "/v1/stream");
  }

  @Test
  void aDrainingNodeNamesItsSilenceAndTheManagersThatWereAskedToStop() {
    String words =
        """
        const [stoppingManagers, silentSeconds] = given;
        return it.words({ status: "DRAINING", managers: 2, attempts: ["1.1", "2.1"],
            stoppingManagers, silentSeconds, pools: ["default"] });""";
    assertThat((String) browser.withModule("pages/executionnode.js", words, 0, 1))
        .endsWith(
            "left. 2 queue or task managers move as soon as another node of pool default takes"
                + " them.");
    assertThat((String) browser.withModule("pages/executionnode.js", words, 1, 1))
        .endsWith(
            "left. 1 queue or task manager was asked to stop. 1 queue or task manager moves as soon"
                + " as another node of pool default takes it.");
    assertThat((String) browser.withModule("pages/executionnode.js", words, 2, 12))
        .endsWith(
            "left. The node has been silent for 12 s. 2 queue or task managers were asked to"
                + " stop.");
  }

  /** The browser's back shows the page as it was left, without having run it meanwhile. */
  @Test
  void theServerOfAPageThatWasLeftForLongIsNotCalledSilentBeforeItIsAskedAgain() {
    browser.awaitText("#live", "live");
    Object silent =
        browser.withModule(
            "live.js",
            """
            const { EventSource } = window;
            const { now } = Date;
            let asked = null;
            let passed = 60_000;
            Date.now = () => now() + passed;
            window.EventSource = class {
              readyState = 0;
              constructor() { asked = this; }
              addEventListener() {}
              close() {}
            };
            const silent = () => {
              asked.onerror();
              return !document.getElementById("lost").hidden;
            };
            try {
              dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
              const before = silent();
              passed += 6_000;
              return [before, silent()];
            } finally {
              Date.now = now;
              window.EventSource = EventSource;
              dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
            }""");
    assertThat(silent).isEqualTo(List.of(false, true));
  }
}
