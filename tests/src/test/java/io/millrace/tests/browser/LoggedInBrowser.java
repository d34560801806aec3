package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.token.Role;
import io.millrace.tests.cluster.Cluster;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A browser that is logged in to the dashboard of a cluster before each test, and of which no test
 * may leave an error in the console. Without one on the machine the tests are skipped. Register it
 * after the cluster.
 */
final class LoggedInBrowser
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private final Cluster cluster;
  private Browser browser;

  LoggedInBrowser(Cluster cluster) {
    this.cluster = cluster;
  }

  Browser get() {
    return browser;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    assumeTrue(Browser.isInstalled(), "no /usr/bin/chromium with /usr/bin/chromedriver here");
    browser = Browser.open();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    browser.go(
        cluster
            .api(cluster.address(), Role.ADMIN)
            .post("/v1/login-codes", null)
            .as(JsonNode.class)
            .get("url")
            .asText());
    browser.awaitWords("#live", "live");
  }

  @Override
  public void afterEach(ExtensionContext context) {
    assertThat(browser.errors()).as("the browser's console").isEmpty();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    if (browser != null) {
      browser.close();
    }
  }
}
