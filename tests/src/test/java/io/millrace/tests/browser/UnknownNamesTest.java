package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.cluster.Cluster;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page of the dashboard about something that does not exist says so, and where to look. */
class UnknownNamesTest {
  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @ParameterizedTest
  @CsvSource({
    "#/jobs/999999, There is no job 999999., #/jobs",
    "#/workflows/999999, There is no workflow 999999., #/workflows",
    "#/workflows/999999/steps/3, There is no workflow 999999., #/workflows",
    "#/queues/nobody, There is no queue nobody., #/queues",
    "#/queues/nobody/dead, There is no queue nobody., #/queues",
    "#/queues/nobody/events, There is no queue nobody., #/queues",
    "#/queues/nobody/edit, There is no queue nobody., #/queues",
    "#/tasks/nobody, There is no task nobody., #/tasks",
    "#/tasks/nobody/edit, There is no task nobody., #/tasks",
    "#/queue-nodes/nobody, There is no queue node nobody., #/nodes",
    "#/execution-nodes/nobody, There is no execution node nobody., #/nodes"
  })
  void thePageNamesWhatIsMissingAndLinksToTheList(String page, String words, String list) {
    browser.page(page);
    browser.awaitText("main .notice", words);
    assertThat(browser.elements("main .notice a[href='" + list + "']")).hasSize(1);
    assertThat(browser.displayed("main :is(.card, .tile, h1 button, table)"))
        .as("parts of a page without content")
        .isEmpty();
    // The refused requests are not errors of the page.
    browser.errors();
  }
}
