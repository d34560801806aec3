package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The chart of a queue's decisions shows those of the chosen span. */
class DecisionChartTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(3, 1, 4);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @Test
  void theChartOfDecisionsFollowsTheChosenSpan() throws IOException {
    define("spanned");
    send("spanned");
    browser.page("#/queues/spanned");
    browser.awaitText(".decisions tbody tr", "waiting +");
    browser.click(".spans a", "6 hours");
    Awaitility.await("the axis of the chart of decisions")
        .atMost(SOON)
        .until(this::axis, Duration.ofHours(6)::equals);
    browser.picture("decisions-span");

    String from = Instant.now().minus(Duration.ofHours(50)).toString();
    String to = Instant.now().minus(Duration.ofHours(48)).toString();
    browser.page("#/queues/spanned?from=" + from + "&to=" + to);
    browser.awaitText(".decisions .extent", "No decisions of this time are recorded.");
    assertThat(axis()).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void theNewestDecisionsOfASpanAreDrawnIfThereAreTooMany() {
    define("plenty");
    send("plenty");
    Awaitility.await("more decisions than are read")
        .atMost(SOON)
        .until(
            () ->
                CLUSTER
                        .api(CLUSTER.address(), Role.VIEWER)
                        .get("/v1/queues/plenty/decisions")
                        .as(JsonNode.class)
                        .size()
                    > 3);
    String read =
        """
        const range = { from: Date.now() - 3600000, to: Date.now() };
        const reader = it.decisionReader("/v1/queues/plenty", { page: 1, pages: given[0] });
        const first = await reader.read(range);
        const again = await reader.read({ from: range.from + 1, to: Date.now() });
        return [first.found.length, first.whole, again.whole];
        """;
    assertThat(browser.withModule("decisionreader.js", read, 3))
        .isEqualTo(List.of(3L, false, false));
    assertThat(
            browser.withModule(
                "decisionreader.js", read.replace("[first.found.length, ", "["), 1000))
        .isEqualTo(List.of(true, true));
  }

  private static void define(String queue) {
    CLUSTER.define(
        """
        kind: queue
        name: %s
        batch: 1
        minSegments: 3
        pacing: {tick: 200ms, maxWorkers: 1}
        worker: {command: [sh, -c, "cat > /dev/null"]}
        """
            .formatted(queue));
  }

  private static void send(String queue) {
    byte[] five = "{}\n".repeat(5).getBytes(StandardCharsets.UTF_8);
    CLUSTER.producer().send(queue, "some", EventMedia.LINES, five);
  }

  /** What the axis of times of the chart spans. */
  private Duration axis() {
    Object millis =
        browser.withModule(
            "charts.js",
            """
            const chart = echarts.getInstanceByDom(document.querySelector(".decisions .chart"));
            const [axis] = chart.getOption().xAxis;
            return axis.max - axis.min;""");
    return Duration.ofMillis((Long) millis);
  }
}
