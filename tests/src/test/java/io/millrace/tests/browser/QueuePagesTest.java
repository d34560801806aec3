package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.EventMedia;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;

/** The dashboard's pages about queues, their weight and their events. */
class QueuePagesTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String MARKUP = "<img src=x onerror=alert(1)>";

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(3, 1, 4);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @BeforeAll
  static void makeSomethingToSee() {
    define("kept");
    define("held");
  }

  // Without a worker: its events are for external consumers, and this test has none.
  private static void define(String queue) {
    CLUSTER.define("kind: queue\nname: " + queue + "\nminSegments: 3\n");
  }

  @Test
  void theQueuesPageShowsAStackedChartOfEachQueuesPoints() throws IOException {
    browser.click("nav a", "Queues");
    browser.awaitText("table tbody tr", "kept");
    browser.awaitText("section h3", "kept");
    Awaitility.await("a chart is drawn for each queue")
        .atMost(SOON)
        .until(() -> browser.drawnCharts() >= 2);
    browser.picture("queues");
  }

  @Test
  void theRebalancingHistoryShowsTheFirstPlacementOfAQueue() throws IOException {
    browser.click("nav a", "Queues");
    browser.click("h1 a", "Rebalancing history");
    browser.awaitText("table tbody tr", "first");
    browser.awaitText("table tbody tr", "kept gets its first points");
    browser.click("table tbody summary", "show");
    assertThat(browser.elements("table tbody details[open] pre")).isNotEmpty();
    browser.picture("balancing");
  }

  @Test
  void theSpanOfTheChartsIsPartOfTheAddress() throws IOException {
    browser.page("#/queues/kept");
    browser.awaitText(".spans [aria-current]", "15 min");
    browser.click(".spans a", "6 hours");
    browser.awaitText(".spans [role=status]", "in steps of 1 min");
    assertThat(browser.address()).endsWith("#/queues/kept?span=6h");

    browser.page("#/queues/kept?span=30d");
    browser.awaitText(".spans [aria-current]", "30 days");
    browser.awaitText(".spans [role=status]", "in steps of 2 h");
    browser.picture("span");

    String from = Instant.now().minus(Duration.ofHours(50)).toString();
    String to = Instant.now().minus(Duration.ofHours(48)).toString();
    browser.page("#/queues/kept?from=" + from + "&to=" + to);
    browser.awaitText(".spans [role=status]", "no samples of this time");
    assertThat(browser.elements(".spans form:not([hidden])")).hasSize(1);
    assertThat(browser.elements(".spans [aria-current]")).isEmpty();
  }

  @Test
  void theReasonOfAPauseIsShownUntilItIsResumed() throws IOException {
    browser.page("#/queues/held");
    browser.click(".buttons button", "Pause sending");
    browser.type("dialog input", MARKUP);
    browser.click("dialog button", "Pause");
    browser.awaitText("main .notice", "Sending paused by");
    browser.awaitText("main .notice", MARKUP);
    assertThat(CLUSTER.view("held").control().sendingPaused()).isTrue();
    assertThat(browser.elements("main img")).as("elements created from a reason's text").isEmpty();
    browser.picture("paused");

    browser.click(".buttons button", "Resume sending");
    browser.type("dialog input", Keys.ENTER);
    browser.awaitText(".buttons button", "Pause sending");
    assertThat(browser.elements("dialog")).isEmpty();
    assertThat(browser.elements("main .notice:not([hidden])")).isEmpty();
  }

  @Test
  void escapeClosesTheDialogWithoutChangingTheQueue() {
    browser.page("#/queues/kept");
    browser.click(".buttons button", "Pause consuming");
    browser.type("dialog input", Keys.ESCAPE);
    Awaitility.await("no dialog").atMost(SOON).until(() -> browser.elements("dialog").isEmpty());
    assertThat(CLUSTER.view("kept").control()).isNull();
  }

  @Test
  void aPurgeRequiresTheQueueNameAndDeletesWaitingEvents() {
    define("purged");
    send("purged", 7);
    browser.page("#/queues/purged");
    browser.click(".buttons button", "Purge");
    assertThat(browser.elements("dialog button[type=submit]:disabled")).hasSize(1);
    browser.type("dialog input", "purged");
    browser.click("dialog button", "Purge");
    browser.awaitText("#toast", "7 events deleted");
    Awaitility.await("no event is waiting").atMost(SOON).until(() -> waiting("purged") == 0);
  }

  @Test
  void deadLettersShowTheirReasonAndCanBeRequeued() throws IOException {
    CLUSTER.define(
        """
        kind: queue
        name: doomed
        maxAttempts: 1
        minSegments: 3
        pacing: {tick: 200ms}
        worker: {command: [sh, -c, "printf 'Traceback:\\n  no <b>such</b> customer\\n' >&2; exit 3"]}
        """);
    send("doomed", 2);
    Awaitility.await("dead letters").atMost(SOON).until(() -> deadLetters("doomed").size() == 2);
    Instant before = Collections.max(deadLetters("doomed"));
    browser.page("#/queues/doomed/dead");
    browser.awaitText("table tbody tr", "no <b>such</b> customer");
    assertThat(browser.elements("main b")).as("elements created from a reason's text").isEmpty();
    assertThat(browser.displayed("tbody td.prose"))
        .as("a reason with its line breaks")
        .anyMatch(one -> one.text().contains("Traceback:\n  no <b>such</b> customer"));
    browser.picture("dead");

    browser.click(".filters button", "Requeue all");
    browser.click("dialog button", "Requeue");
    browser.awaitText("#toast", "2 requeued");
    Awaitility.await("they were retried and became dead letters again")
        .atMost(SOON)
        .until(() -> deadLetters("doomed").stream().filter(before::isBefore).count() == 2);
  }

  @Test
  void eachDecisionIsShownWithItsInputsAndReason() throws IOException {
    CLUSTER.define(
        """
        kind: queue
        name: paced
        batch: 1
        minSegments: 3
        pacing: {tick: 200ms, maxWorkers: 1}
        worker: {command: [sh, -c, "cat > /dev/null; sleep 0.2"]}
        """);
    // A worker lasts as long as the time between two decisions, so that each start is in another.
    send("paced", 25);
    browser.page("#/queues/paced");
    browser.awaitText(".decisions .sentences li", "of at most 1");
    browser.awaitText(".decisions tbody tr", "max workers");
    browser.awaitText(".decisions tbody tr", "measured arrivals");
    Awaitility.await("all were processed")
        .atMost(SOON)
        .until(() -> CLUSTER.view("paced").acknowledged() == 25);
    browser.awaitText(".decisions button", "Older");
    browser.picture("decisions");

    // A click that is sent while a new decision moves the button does not reach it.
    browser.clickUntil(
        ".decisions button", "Older", ".decisions .paging", "Showing older decisions");
    assertThat(browser.elements(".decisions tbody tr")).isNotEmpty();
    browser.click(".decisions button", "Newest");
    assertThat(exports())
        .satisfiesExactly(
            csv -> assertThat(csv).startsWith("at,node,").contains("MAX_WORKERS"),
            json -> assertThat(json).startsWith("[{").contains("MAX_WORKERS"));
  }

  /** The targets of the export links on the page. */
  private List<String> exports() {
    return browser.elements(".decisions a[download]").stream()
        .map(link -> URI.create(link.getAttribute("href")))
        .map(address -> address.getRawPath() + "?" + address.getRawQuery())
        .map(path -> CLUSTER.api(CLUSTER.address(), Role.VIEWER).get(path).text())
        .toList();
  }

  @Test
  void anOpenBreakerShowsItsReasonAndClosesAfterAFixedDefinitionIsApplied() throws IOException {
    defineWorker("broken", "echo 'no <b>such</b> table' >&2; exit 3");
    send("broken", 4);
    browser.page("#/queues/broken");
    browser.awaitText(".failing", "of the last 4 runs failed");
    browser.awaitText(".failing", "no <b>such</b> table");
    browser.awaitText(".failing dt", "next probe");
    browser.awaitText(".failing", "Apply a fixed definition");
    browser.awaitText(".decisions tbody tr", "breaker open");
    browser.picture("breaker");
    browser.page("#/queues");
    browser.awaitText(".called:has([href='#/queues/broken'])", "breaker open");
    browser.awaitText("#alerts", "breaker open");
    browser.page("#/problems");
    browser.awaitText("tbody tr", "apply a corrected definition");
    assertThat(browser.elements("#alerts:not([hidden])"))
        .as("the problems above a page, on that of the problems")
        .isEmpty();

    defineWorker("broken", "cat > /dev/null");
    browser.page("#/queues/broken");
    browser.awaitText(".facts dd", "closed; opens when 2 of the last 4 runs failed");
    Awaitility.await("no breaker is shown")
        .atMost(SOON)
        .until(() -> browser.elements(".failing:not([hidden])").isEmpty());
    assertThat(CLUSTER.view("broken").dead()).as("dead letters caused by a bad deploy").isZero();
  }

  private static void defineWorker(String queue, String script) {
    CLUSTER.define(
        """
        kind: queue
        name: %s
        maxAttempts: 20
        minSegments: 3
        pacing: {tick: 200ms, breaker: {runs: 4, probeEvery: 1s, probes: 1}}
        worker: {command: [sh, -c, "%s"]}
        """
            .formatted(queue, script));
  }

  @Test
  void temporaryLimitsCanBeSetAndEndedOnThePage() throws IOException {
    define("limited");
    browser.page("#/queues/limited");
    browser.click(".buttons button", "Set limits");
    browser.type("dialog input[name=maxWorkers]", "7");
    browser.type("dialog input[name=reason]", MARKUP);
    browser.click("dialog button", "Set");
    browser.awaitText("section[aria-label='Temporary limits']", "7; 100 afterwards");
    browser.awaitText("section[aria-label='Temporary limits']", MARKUP);
    PacingOverride set = CLUSTER.view("limited").override();
    assertThat(set.maxWorkers()).isEqualTo(7);
    assertThat(Duration.between(set.at(), set.until())).isEqualTo(Duration.ofHours(2));
    browser.picture("limits");

    browser.click(".buttons button", "End now");
    browser.click("dialog button", "End them");
    browser.awaitText("section[aria-label='Temporary limits']", "None in force");
    browser.click("section[aria-label='Temporary limits'] summary", "Earlier limits");
    browser.awaitText("section[aria-label='Temporary limits'] tbody tr", set.by());
    assertThat(CLUSTER.view("limited").override()).isNull();
    assertThat(browser.elements("main img")).as("elements created from a reason's text").isEmpty();
  }

  @Test
  void anInvalidLimitIsNotSet() {
    browser.page("#/queues/kept");
    browser.click(".buttons button", "Set limits");
    browser.type("dialog input[name=waitTarget]", "soon");
    browser.click("dialog button", "Set");
    assertThat(browser.elements("dialog[open] input:invalid")).hasSize(1);
    browser.type("dialog input", Keys.ESCAPE);
    assertThat(CLUSTER.view("kept").override()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"#/queues", "#/queues/kept", "#/queues/kept/events", "#/problems"})
  void aNarrowWindowNeedsNoHorizontalScrolling(String page) {
    browser.page(page);
    browser.awaitText("h1", "");
    browser.awaitText("main", page.equals("#/problems") ? "Problems" : "kept");
    browser.width(400);
    try {
      assertThat(browser.scrollsSideways()).isFalse();
    } finally {
      browser.width(1400);
    }
  }

  /** Empty for what is not displayed or was replaced, as a live page does at any time. */
  private static Optional<String> accessibleName(WebElement control) {
    try {
      return control.isDisplayed() ? Optional.of(control.getAccessibleName()) : Optional.empty();
    } catch (StaleElementReferenceException replaced) {
      return Optional.empty();
    }
  }

  @Test
  void everyControlHasAnAccessibleName() {
    browser.page("#/queues/kept");
    browser.awaitText("h1", "kept");
    Awaitility.await("the names of controls")
        .atMost(SOON)
        .until(
            () ->
                browser.elements("main :is(button, a, select, input, [role=img])").stream()
                    .flatMap(one -> accessibleName(one).stream())
                    .toList(),
            names -> names.size() > 10 && names.stream().noneMatch(String::isBlank));
  }

  @Test
  void aQueueNodePageShowsSignalsAndSegmentsAndCanDrainTheNode() throws IOException {
    define("moving");
    browser.click("nav a", "Nodes");
    browser.click("table tbody a", "q3");
    browser.awaitText("h1", "Queue node q3");
    browser.awaitText("dl.facts", "store writer busy");
    browser.awaitText("table tbody tr", "moving");
    browser.click(".buttons button", "Drain");
    browser.type("dialog input", "a new disk");
    browser.click("dialog button", "Drain");
    browser.awaitText("main .notice", "a new disk");
    browser.awaitText("table tbody tr", "drain");
    Awaitility.await("its points are on other nodes").atMost(SOON).until(() -> points("q3") == 0);
    browser.picture("drained");

    browser.click(".buttons button", "Return to service");
    browser.type("dialog input, dialog button[type=submit]", Keys.ENTER);
    browser.awaitText(".buttons button", "Maintenance");
    assertThat(node("q3").status()).isEqualTo(NodeStatus.ACTIVE);
  }

  private static void send(String queue, int events) {
    String lines = "{}\n".repeat(events);
    CLUSTER
        .producer()
        .send(queue, "some", EventMedia.LINES, lines.getBytes(StandardCharsets.UTF_8));
  }

  private static List<Instant> deadLetters(String queue) {
    return CLUSTER.central(Role.VIEWER).deadLetters().list(queue, 10, null).found().stream()
        .map(DeadEvent::diedAt)
        .toList();
  }

  private static long waiting(String queue) {
    return CLUSTER.view(queue).waiting();
  }

  private static QueueNodeView node(String name) {
    return CLUSTER.central().overview().queueNodes().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static int points(String node) {
    return node(node).segments().stream().mapToInt(one -> one.weight()).sum();
  }
}
