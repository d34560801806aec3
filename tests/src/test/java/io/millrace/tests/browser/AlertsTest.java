package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.tests.browser.Browser.Displayed;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The problems above the pages of the dashboard. */
class AlertsTest {
  private static final Duration SOON = Duration.ofMinutes(1);

  // Of its own: the problems are counted.
  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = Cluster.alone(1, 1, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @BeforeAll
  static void threeCriticalProblemsAndTwoWarnings() {
    for (String queue : List.of("mails", "orders")) {
      CLUSTER.define("{kind: queue, name: %s, worker: {command: [cat]}}".formatted(queue));
      CLUSTER.central().pause(queue, new PauseRequest(true, true, "a deploy of " + queue));
    }
    for (String pool : List.of("first", "second", "third")) {
      CLUSTER.central().submit(JobDraft.command(List.of("true")).pool(pool).spec());
    }
  }

  @Test
  void problemsAreOneLineAndTheMostUrgentOnesALineEach() throws IOException {
    browser.awaitText("#alerts summary", "5 problems: 3 critical, 2 warnings · newest: ");
    List<Displayed> urgent = browser.displayed("#alerts .alert");
    assertThat(urgent).hasSize(2);
    long line = browser.displayed("#alerts summary").get(0).height();
    assertThat(urgent)
        .allSatisfy(one -> assertThat(one.text()).contains("pool without node"))
        .allSatisfy(one -> assertThat(one.height()).isLessThan(2 * line));
    awaitDisplayed("#alerts li", 0);
    browser.picture("alerts");
  }

  @Test
  void theLineOpensTheWholeListWhichIsRememberedOnOtherPages() throws IOException {
    browser.awaitText("#alerts summary", "5 problems");
    browser.elements("#alerts summary").get(0).click();
    browser.awaitText("#alerts li", "a deploy of mails");
    // The five problems, and the link to the others.
    awaitDisplayed("#alerts li", 6);
    // Lines that the list repeats.
    awaitDisplayed("#alerts .alert", 0);
    browser.picture("alerts-open");

    open("#/queues/mails");
    browser.awaitText("#alerts li", "a deploy of mails");
    browser.elements("#alerts summary").get(0).click();
    awaitDisplayed("#alerts li", 0);
    open("#/jobs");
    browser.awaitText("#alerts summary", "5 problems");
    awaitDisplayed("#alerts li", 0);
    awaitDisplayed("#alerts .alert", 2);
  }

  /** Loads the page from the server, as a user who follows a link from elsewhere. */
  private void open(String hash) {
    browser.go("about:blank");
    browser.go(CLUSTER.address() + "/" + hash);
  }

  private void awaitDisplayed(String selector, long count) {
    Awaitility.await(count + " of " + selector)
        .atMost(SOON)
        .until(() -> browser.displayed(selector).size() == count);
  }
}
