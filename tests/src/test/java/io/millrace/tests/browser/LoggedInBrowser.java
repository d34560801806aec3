package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * The browser that all classes share, logged in to the dashboard of a cluster before each test. A
 * test that leaves an error in the console fails. Without a browser on the machine the tests are
 * skipped. Register it after the cluster.
 */
final class LoggedInBrowser
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private static final Namespace BROWSERS = Namespace.create(LoggedInBrowser.class);

  private final Cluster cluster;
  private Browser browser;

  LoggedInBrowser(Cluster cluster) {
    this.cluster = cluster;
  }

  Browser get() {
    return browser;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    assumeTrue(Browser.isInstalled(), "no /usr/bin/chromium with /usr/bin/chromedriver here");
    browser =
        context
            .getRoot()
            .getStore(BROWSERS)
            .getOrComputeIfAbsent(Browser.class, key -> Browser.open(), Browser.class);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    logIn();
  }

  /** Opens the overview through a new login link. */
  void logIn() {
    logIn(Role.ADMIN);
  }

  /** The same as a user of that role. */
  void logIn(Role role) {
    browser.go(link(role));
    browser.click("button", "Log in");
    browser.awaitText("#live", "live");
  }

  /** A link that logs in once. */
  String link() {
    return link(Role.ADMIN);
  }

  private String link(Role role) {
    return cluster
        .api(cluster.address(), role)
        .post("/v1/login-codes", null)
        .as(JsonNode.class)
        .get("url")
        .asText();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    assertThat(browser.errors()).as("the browser's console").isEmpty();
  }

  /**
   * Leaves the page, which would report errors once its cluster ends before the next class begins.
   */
  @Override
  public void afterAll(ExtensionContext context) {
    if (browser != null) {
      browser.go("about:blank");
    }
  }
}
