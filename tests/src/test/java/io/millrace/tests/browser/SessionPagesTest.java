package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.KeptEvent;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.WebElement;

/** The dashboard's pages about the sessions of a queue, with answers from a script. */
class SessionPagesTest {
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final String MARKUP = "<img src=x onerror=alert(1)>";
  private static final String KEY = "order/17 " + MARKUP;
  private static final String QUEUE = "/v1/queues/orders";
  private static final UUID FIRST = new UUID(0x4f1c_0000_0000_4000L, 1);
  private static final UUID SECOND = new UUID(0x9a2d_0000_0000_4000L, 2);
  private static final Instant START = Instant.now().minusSeconds(600);

  private static CannedDashboard server;
  private static Browser browser;

  private static final AtomicLong ASKED = new AtomicLong();

  @BeforeAll
  static void serve() throws IOException {
    assumeTrue(Browser.isInstalled(), "no /usr/bin/chromium with /usr/bin/chromedriver here");
    server =
        new CannedDashboard(() -> CannedDashboard.overview(List.of(view())))
            .answering("GET /v1/caller", () -> Map.of("role", "operator", "subject", "ann"))
            .answering("GET " + QUEUE, SessionPagesTest::details)
            .answering("GET " + QUEUE + "/history", () -> Map.of("samples", List.of()))
            .answering("GET " + QUEUE + "/overrides", List::of)
            .answering("GET " + QUEUE + "/decisions", List::of)
            .answering("GET " + QUEUE + "/explanation", SessionPagesTest::explanation)
            .answering("GET /v1/balancing/decisions", List::of)
            .answering("GET /v1/definitions/queue/orders/history", List::of)
            .answering("GET " + QUEUE + "/session-workers", SessionPagesTest::workers)
            .answering("POST " + QUEUE + "/session-workers", () -> null)
            .answering("GET " + QUEUE + "/sessions", () -> new SessionPage(sessions(), "417/b"))
            .answering(
                "GET " + QUEUE + "/sessions?limit=50&after=417%2Fb",
                () -> new SessionPage(sessions().subList(1, 2), null))
            .answering("GET " + QUEUE + "/session?key=", SessionPagesTest::session)
            .answering(
                "POST " + QUEUE + "/session-actions",
                () -> new SessionActed("session a is what the node says"));
    browser = Browser.open();
    browser.go(server.address());
    browser.awaitText("#live", "live");
  }

  @AfterAll
  static void stop() throws IOException {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @AfterEach
  void theConsoleIsEmpty() {
    assertThat(browser.errors()).as("the browser's console").isEmpty();
  }

  @Test
  void thePageOfAQueueShowsItsSessionsItsWorkersAndTheirCaps() throws IOException {
    browser.page("#/queues/orders");
    browser.awaitText("section[aria-label=Sessions] .tile", "of at most 100,000");
    browser.awaitText("section[aria-label=Sessions] .tile", "of 60,000 by 2 workers");
    browser.awaitText("section[aria-label=Sessions] .notice", "9 slots wait for the events of");
    browser.awaitText("section[aria-label=Sessions] tbody tr", "packer-1");
    browser.awaitText("section[aria-label=Sessions] tbody tr", "12,000 of 30,000");
    browser.awaitText("section[aria-label=Sessions] tbody tr", "asked to leave");
    Awaitility.await("points of the curves").atMost(SOON).until(() -> ASKED.get() > 4);
    assertThat(browser.elements("section[aria-label=Sessions] canvas")).hasSize(3);
    browser.picture("sessions-queue");
  }

  @Test
  void aWorkerIsRetiredAfterAQuestion() throws IOException {
    browser.page("#/queues/orders");
    browser.click("section[aria-label=Sessions] td button", "Retire");
    browser.type("dialog input[name=reason]", "it hangs");
    browser.click("dialog button", "Retire");
    browser.awaitText("#toast", "packer-1 is retired");
    browser.picture("session-workers");
    assertThat(server.asked())
        .contains(
            "POST %s/session-workers/%s/retirement {\"ask\":false,\"reason\":\"it hangs\"}"
                .formatted(QUEUE, FIRST));
  }

  @Test
  void theListIsFilteredByStateAndContinuedPageByPage() throws IOException {
    browser.page("#/queues/orders/sessions");
    browser.awaitText("tbody tr", KEY);
    browser.awaitText("tbody tr", "all workers are full");
    browser.picture("sessions");
    browser.click(".pages a", "Next sessions");
    browser.awaitText(".pages", "First sessions");
    assertThat(browser.address()).endsWith("?after=417%2Fb");
    Awaitility.await("the rows of the next page")
        .atMost(SOON)
        .until(() -> browser.elements("tbody tr").size() == 1);

    browser.click(".view", "parked");
    browser.awaitText(".view[aria-current]", "parked");
    Awaitility.await("a request for parked sessions")
        .atMost(SOON)
        .until(() -> server.asked().contains("GET " + QUEUE + "/sessions?limit=50&state=parked"));
    assertThat(browser.elements("main img")).as("elements made from a key's text").isEmpty();
  }

  @Test
  void aSessionIsShownWithItsLifeAsAPicture() throws IOException {
    openSession();
    browser.awaitText(".facts", "22 accepted, 12 acknowledged, 10 not");
    browser.awaitText(".facts", "covers the events up to number 2");
    browser.awaitText("tbody tr", "its worker was silent");
    WebElement picture = browser.elements("svg.sessionline").get(0);
    assertThat(picture.getAccessibleName())
        .contains("2 assignments, 4 events waiting, 6 events delivered, 10 events acknowledged");
    assertThat(browser.elements("svg.sessionline > rect")).as("bars and ticks").hasSize(2 + 20);
    assertThat(browser.elements("svg.sessionline > path[fill]")).as("marks").hasSize(2);
    assertThat(browser.elements("main img")).as("elements made from texts").isEmpty();
    browser.picture("session");
  }

  @Test
  void aSessionIsMovedClosedOrDroppedAfterAQuestion() {
    openSession();
    browser.click("h1 button", "Move");
    browser.type("dialog input[name=reason]", "slow");
    browser.click("dialog button", "Move session");
    browser.awaitText("#toast", "Session a is what the node says.");
    openSession();
    browser.click("h1 button", "Drop");
    assertThat(browser.elements("dialog button.danger:disabled")).hasSize(1);
    browser.type("dialog input[name=confirm]", KEY);
    browser.awaitText("dialog button", "Cancel");
    browser.click("dialog button", "Drop session");
    browser.awaitText("#toast", "Session a is what the node says.");

    List<JsonNode> sent =
        server.asked().stream()
            .filter(call -> call.startsWith("POST " + QUEUE + "/session-actions "))
            .map(call -> Json.read(call.substring(call.indexOf('{')), JsonNode.class))
            .toList();
    assertThat(sent).extracting(one -> one.get("action").asText()).containsExactly("MOVE", "DROP");
    assertThat(sent).allMatch(one -> one.get("key").asText().equals(KEY));
    assertThat(sent.get(0).get("reason").asText()).isEqualTo("slow");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"#/queues/orders", "#/queues/orders/sessions", "#/queues/orders/session?key=b"})
  void aNarrowWindowNeedsNoHorizontalScrolling(String page) throws IOException {
    browser.page(page);
    browser.awaitText("main", "q1");
    browser.width(400);
    try {
      Awaitility.await("a page as wide as the window")
          .atMost(SOON)
          .until(() -> !browser.scrollsSideways());
      browser.picture("narrow-" + page.replaceAll("\\W+", "-"));
    } finally {
      browser.width(1400);
    }
  }

  private static void openSession() {
    browser.page("#/queues/orders/sessions");
    browser.click("tbody a", KEY);
    browser.awaitText("h1", KEY);
    browser.awaitText("h1 button", "Move");
  }

  private static QueueView view() {
    return new QueueView(
        "orders",
        1,
        1,
        Map.of("q1", 500, "q2", 500),
        7,
        0,
        12,
        0,
        2.5,
        900,
        800,
        3,
        0,
        2,
        4,
        3.5,
        0.1,
        0.3,
        4.2,
        288,
        9_000,
        null,
        null,
        null,
        null,
        null,
        5.0,
        false);
  }

  private static QueueDetails details() {
    QueueDefinition definition =
        Json.read(
            Json.write(Map.of("name", "orders", "sessions", Map.of("key", "/orderId"))),
            QueueDefinition.class);
    long n = ASKED.incrementAndGet();
    SessionFigures first =
        new SessionFigures(
            7 + n % 5,
            12_000 + 3 * n,
            1,
            2,
            60_000,
            90,
            1_020,
            1_000,
            5 + n,
            3,
            40,
            0,
            0,
            2,
            500,
            9,
            0,
            4.2,
            null);
    return new QueueDetails(
        view(), definition, List.of(segment(first)), List.of(), List.of(), null);
  }

  private static SegmentFigures segment(SessionFigures sessions) {
    return new SegmentFigures(
        "orders", "q1", 500, 8, 7, 0, 12, 0, 2.5, 900, 1, 1, 1, 0, 0, null, null, null, sessions);
  }

  private static PacingExplanation explanation() {
    return new PacingExplanation(
        "orders",
        Instant.now(),
        List.of("as many workers as needed"),
        null,
        null,
        Map.of(),
        List.of());
  }

  private static List<SessionWorkerView> workers() {
    return List.of(
        worker(FIRST, "packer-1", SessionWorkerState.AVAILABLE, 12_000, 0, false),
        worker(SECOND, null, SessionWorkerState.AVAILABLE, 30_000, 0, true),
        worker(new UUID(7, 7), "packer-3", SessionWorkerState.ABSENT, 2_000, 2, false),
        worker(new UUID(8, 8), "packer-4", SessionWorkerState.RETIRED, 0, 3, false));
  }

  private static SessionWorkerView worker(
      UUID id, String name, SessionWorkerState state, int sessions, long missed, boolean leaving) {
    return new SessionWorkerView(
        id,
        name,
        "q1",
        "orders",
        state,
        "17.1",
        sessions,
        30_000,
        0.4 + 60 * missed,
        missed,
        4.2,
        99,
        leaving);
  }

  private static List<SessionView> sessions() {
    return List.of(
        view(KEY, SessionState.OPEN, FIRST, null),
        view("b", SessionState.UNASSIGNED, null, "all workers are full"),
        view("c", SessionState.PARKED, null, "its event 3 failed 5 times: " + MARKUP));
  }

  private static SessionView view(String key, SessionState state, UUID worker, String waitsFor) {
    return new SessionView(
        key,
        "q1",
        417,
        state,
        new SessionNumber(3, 2),
        worker,
        worker == null ? null : "packer-1",
        22,
        12,
        START,
        START.plusSeconds(500),
        63,
        waitsFor);
  }

  private static SessionDetails session() {
    List<KeptEvent> events = new ArrayList<>();
    for (int n = 3; n <= 22; n++) {
      String state = n <= 12 ? "ACKNOWLEDGED" : n <= 18 ? "DELIVERED" : "WAITING";
      events.add(
          new KeptEvent(
              n,
              "e" + n,
              START.plusSeconds(22L * n),
              state,
              n == 3 ? "{\"kind\":\"paid\"}" : null,
              Json.read("{\"text\":\"" + MARKUP + "\"}", JsonNode.class)));
    }
    return new SessionDetails(
        sessions().get(0),
        events,
        0,
        Json.read("{\"paid\":true,\"text\":\"" + MARKUP + "\"}", JsonNode.class),
        2,
        100,
        List.of(
            moment(10, "ASSIGNED", 1, SECOND, null),
            moment(60, "SNAPSHOT", 1, SECOND, "through 2"),
            moment(250, "RETURNED", 1, SECOND, "its worker was silent"),
            moment(270, "ASSIGNED", 2, FIRST, null)));
  }

  private static SessionMoment moment(
      int second, String what, int handover, UUID worker, String reason) {
    return new SessionMoment(
        START.plusSeconds(second), what, new SessionNumber(3, handover), worker, reason);
  }
}
