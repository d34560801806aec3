package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.EventMedia;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.queue.QueueNodeStanding;
import io.millrace.platform.token.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** The dashboard's pages about queues, their weight and their events: what they show and do. */
class QueuePagesTest {
  private static final Duration SOON = Duration.ofSeconds(20);
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

  // Without a worker: outside consumers take its events, and here nobody does.
  private static void define(String queue) {
    CLUSTER.define("kind: queue\nname: " + queue + "\nminSegments: 3\n");
  }

  @Test
  void theQueuesPageShowsThePointsOfEachQueueAsAStack() throws IOException {
    browser.click("nav a", "Queues");
    browser.awaitWords("table tbody tr", "kept");
    browser.awaitWords("section h3", "kept");
    Awaitility.await("a drawn chart of each queue")
        .atMost(SOON)
        .until(() -> browser.drawnCharts() >= 2);
    browser.picture("queues");
  }

  @Test
  void theLogOfDecisionsShowsTheFirstPlacementOfAQueue() throws IOException {
    browser.click("nav a", "Queues");
    browser.click("h1 a", "What moved, and why");
    browser.awaitWords("table tbody tr", "first");
    browser.awaitWords("table tbody tr", "kept gets its first points");
    browser.click("table tbody summary", "show");
    assertThat(browser.elements("table tbody details[open] pre")).isNotEmpty();
    browser.picture("balancing");
  }

  @Test
  void aPauseSaysItsReasonUntilItIsResumed() throws IOException {
    browser.page("#/queues/held");
    browser.click(".buttons button", "Pause sending");
    browser.type("dialog input", MARKUP);
    browser.click("dialog button", "Pause");
    browser.awaitWords("main .notice", "Sending paused by");
    browser.awaitWords("main .notice", MARKUP);
    assertThat(CLUSTER.view("held").control().sendingPaused()).isTrue();
    assertThat(browser.elements("main img")).as("elements made of a reason's words").isEmpty();
    browser.picture("paused");

    browser.click(".buttons button", "Resume sending");
    browser.type("dialog input", Keys.ENTER);
    browser.awaitWords(".buttons button", "Pause sending");
    assertThat(browser.elements("dialog")).isEmpty();
    assertThat(browser.elements("main .notice:not([hidden])")).isEmpty();
  }

  @Test
  void escapeLeavesTheQueueAsItIs() {
    browser.page("#/queues/kept");
    browser.click(".buttons button", "Pause consuming");
    browser.type("dialog input", Keys.ESCAPE);
    Awaitility.await("no dialog").atMost(SOON).until(() -> browser.elements("dialog").isEmpty());
    assertThat(CLUSTER.view("kept").control()).isNull();
  }

  @Test
  void aPurgeAsksForTheNameAndDeletesWhatWaits() {
    define("purged");
    send("purged", 7);
    browser.page("#/queues/purged");
    browser.click(".buttons button", "Purge");
    assertThat(browser.elements("dialog button[type=submit]:disabled")).hasSize(1);
    browser.type("dialog input", "purged");
    browser.click("dialog button", "Purge");
    browser.awaitWords("#toast", "7 events deleted");
    Awaitility.await("nothing waits").atMost(SOON).until(() -> waiting("purged") == 0);
  }

  @Test
  void deadLettersShowTheirReasonAndAreRequeued() throws IOException {
    CLUSTER.define(
        """
        kind: queue
        name: doomed
        maxAttempts: 1
        minSegments: 3
        pacing: {tick: 200ms}
        worker: {command: [sh, -c, "echo 'no <b>such</b> customer' >&2; exit 3"]}
        """);
    send("doomed", 2);
    Awaitility.await("dead letters").atMost(SOON).until(() -> deaths("doomed").size() == 2);
    Instant before = Collections.max(deaths("doomed"));
    browser.page("#/queues/doomed/dead");
    browser.awaitWords("table tbody tr", "no <b>such</b> customer");
    assertThat(browser.elements("main b")).as("elements made of a reason's words").isEmpty();
    browser.picture("dead");

    browser.click(".filters button", "Requeue all");
    browser.click("dialog button", "Requeue");
    browser.awaitWords("#toast", "2 requeued");
    Awaitility.await("they were tried again, and died again")
        .atMost(SOON)
        .until(() -> deaths("doomed").stream().filter(before::isBefore).count() == 2);
  }

  @Test
  void aQueueNodeShowsItsSignalsAndSegmentsAndIsDrained() throws IOException {
    define("moving");
    browser.click("nav a", "Nodes");
    browser.click("table tbody a", "q3");
    browser.awaitWords("h1", "Queue node q3");
    browser.awaitWords("dl.facts", "store's writer busy");
    browser.awaitWords("table tbody tr", "moving");
    browser.click(".buttons button", "Drain");
    browser.type("dialog input", "a new disk");
    browser.click("dialog button", "Drain");
    browser.awaitWords("main .notice", "a new disk");
    browser.awaitWords("table tbody tr", "drain");
    Awaitility.await("its points are elsewhere").atMost(SOON).until(() -> points("q3") == 0);
    browser.picture("drained");

    browser.click(".buttons button", "Take back into use");
    browser.type("dialog input, dialog button[type=submit]", Keys.ENTER);
    browser.awaitWords(".buttons button", "Maintenance");
    assertThat(node("q3").standing()).isEqualTo(QueueNodeStanding.ACTIVE);
  }

  @Test
  void anUnknownNameSaysSo() {
    browser.page("#/queues/nobody");
    browser.awaitWords("main .notice", "There is no queue of this name.");
    browser.page("#/queue-nodes/nobody");
    browser.awaitWords("main .notice", "There is no queue node of this name.");
  }

  private static void send(String queue, int events) {
    String lines = "{}\n".repeat(events);
    CLUSTER
        .producer()
        .send(queue, "some", EventMedia.LINES, lines.getBytes(StandardCharsets.UTF_8));
  }

  private static List<Instant> deaths(String queue) {
    return CLUSTER.central(Role.VIEWER).dead(queue, 10, null).found().stream()
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
