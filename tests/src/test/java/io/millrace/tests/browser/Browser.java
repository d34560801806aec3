package io.millrace.tests.browser;

import io.millrace.tests.cluster.Folders;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with its own profile and without background downloads. */
final class Browser implements Closeable {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Duration SOON = Duration.ofMinutes(3);

  // A strong reference, because collected loggers lose their levels.
  private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

  private final Path profile;
  private final ChromeDriver driver;

  private Browser(Path profile) {
    // Selenium warns about every Chromium newer than itself.
    SELENIUM.setLevel(Level.SEVERE);
    this.profile = profile;
    // Named, so that Selenium does not search for a driver to download.
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .withSilent(true)
            .build();
    this.driver = new ChromeDriver(service, options(profile));
  }

  /** Whether Chromium and its driver are installed. */
  static boolean isInstalled() {
    return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
  }

  static Browser open() {
    try {
      Path profile = Files.createTempDirectory("millrace-browser");
      try {
        return new Browser(profile);
      } catch (RuntimeException e) {
        Folders.delete(profile);
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ChromeOptions options(Path profile) {
    LoggingPreferences console = new LoggingPreferences();
    console.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toFile());
    options.setCapability(ChromeOptions.LOGGING_PREFS, console);
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1400,1000",
        "--user-data-dir=" + profile);
    return options;
  }

  void go(String url) {
    driver.get(url);
  }

  /** Goes to another page of the dashboard as the browser's history does, behind a dialog too. */
  void leaveTo(String hash) {
    driver.executeScript("location.hash = arguments[0]", hash);
  }

  String address() {
    return driver.getCurrentUrl();
  }

  /** Deletes the session's cookies. */
  void forgetCookies() {
    driver.manage().deleteAllCookies();
  }

  /**
   * The displayed elements of a selector, read in one step: a live page replaces its elements, so
   * what is asked of each in turn may be gone.
   */
  List<Displayed> displayed(String selector) {
    List<?> found =
        (List<?>)
            driver.executeScript(
                """
                return [...document.querySelectorAll(arguments[0])]
                  .filter(one => one.checkVisibility())
                  .map(one => [one.innerText, Math.round(one.getBoundingClientRect().height)])
                """,
                selector);
    return found.stream().map(one -> Displayed.of((List<?>) one)).toList();
  }

  /** Text and height in pixels of an element that is displayed. */
  record Displayed(String text, long height) {
    private static Displayed of(List<?> read) {
      return new Displayed((String) read.get(0), ((Number) read.get(1)).longValue());
    }
  }

  /** Waits until an element of the selector contains the text. */
  void awaitText(String selector, String words) {
    Awaitility.await("'" + words + "' in " + selector)
        .atMost(SOON)
        .ignoreException(StaleElementReferenceException.class)
        .until(() -> elements(selector).stream().anyMatch(one -> one.getText().contains(words)));
  }

  /** Clicks the link or button with exactly this text. */
  void click(String selector, String words) {
    Awaitility.await("a " + selector + " '" + words + "' to click")
        .atMost(SOON)
        .ignoreException(StaleElementReferenceException.class)
        .until(() -> clicked(selector, words));
  }

  /** Clicks as a user does on a page that moves: again, until the text is shown. */
  void clickUntil(String selector, String words, String shown, String text) {
    Awaitility.await("'" + text + "' in " + shown + " after a click on '" + words + "'")
        .atMost(SOON)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreException(StaleElementReferenceException.class)
        .until(
            () -> {
              if (elements(shown).stream().anyMatch(one -> one.getText().contains(text))) {
                return true;
              }
              clicked(selector, words);
              return false;
            });
  }

  private boolean clicked(String selector, String words) {
    for (WebElement one : elements(selector)) {
      if (one.getText().equals(words)) {
        one.click();
        return true;
      }
    }
    return false;
  }

  /** Opens a page of the dashboard, given by the part of its URL after the slash. */
  void page(String hash) {
    driver.get(URI.create(address()).resolve("/" + hash).toString());
  }

  /** Types text or keys into the first field of the selector, once it exists. */
  void type(String selector, CharSequence keys) {
    Awaitility.await(selector + " to type into")
        .atMost(SOON)
        .until(() -> !elements(selector).isEmpty());
    elements(selector).get(0).sendKeys(keys);
  }

  /** Emulates a window of that width until the next call. */
  void width(int pixels) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", pixels, "height", 1000, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Whether the page is wider than the window, so that it scrolls horizontally. */
  boolean scrollsSideways() {
    return (Boolean)
        driver.executeScript(
            "const page = document.documentElement; return page.scrollWidth > page.clientWidth");
  }

  /** The number of charts whose canvas has more colour than axes and labels alone. */
  long drawnCharts() {
    return (Long)
        driver.executeScript(
            """
            return [...document.querySelectorAll("canvas")].filter((canvas) => {
              const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              let coloured = 0;
              for (let at = 0; at < data.length; at += 4) {
                const most = Math.max(data[at], data[at + 1], data[at + 2]);
                const least = Math.min(data[at], data[at + 1], data[at + 2]);
                if (data[at + 3] > 100 && most - least > 60) coloured++;
              }
              return coloured > canvas.width * canvas.height / 4;
            }).length""");
  }

  /**
   * The beginnings of cards whose content is wider than they are, so that it has to be scrolled.
   */
  List<?> overfullCards() {
    return (List<?>)
        driver.executeScript(
            """
            return [...document.querySelectorAll(".card")]
              .filter((card) => card.scrollWidth > card.clientWidth)
              .map((card) => card.textContent.slice(0, 80))""");
  }

  /**
   * Calls the code with what a module of the dashboard exports, as {@code it}, and with the values,
   * as {@code given}; what it returns may be a promise.
   */
  Object withModule(String asset, String code, Object... given) {
    Map<?, ?> answer =
        (Map<?, ?>)
            driver.executeAsyncScript(
                """
                const given = [...arguments];
                const done = given.pop();
                import("/assets/%s").then((it) => (async () => { %s })())
                  .then((value) => done({ value }), (failure) => done({ failure: failure.stack }));
                """
                    .formatted(asset, code),
                given);
    if (answer.containsKey("failure")) {
      throw new AssertionError(answer.get("failure"));
    }
    return answer.get("value");
  }

  /** Makes the page one of a browser that does not have this part of the language. */
  void without(String part) {
    driver.executeScript("delete " + part);
  }

  /**
   * Loads the page again and does something with it; until that is done, its requests to addresses
   * that contain this are held back.
   */
  void whileHeldBack(String address, Runnable something) {
    String script =
        """
        const fetched = window.fetch;
        const released = new Promise((resolve) => { window.release = resolve; });
        window.fetch = async (...request) => {
          if (String(request[0]).includes("%s")) await released;
          return fetched(...request);
        };"""
            .formatted(address);
    Object identifier =
        driver
            .executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script))
            .get("identifier");
    try {
      driver.navigate().refresh();
      something.run();
    } finally {
      driver.executeCdpCommand(
          "Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", identifier));
      driver.executeScript("window.release()");
    }
  }

  /** Does something while requests to addresses that contain this fail. */
  void whileUnanswered(String address, Runnable something) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.setBlockedURLs", Map.of("urls", List.of("*" + address + "*")));
    try {
      something.run();
    } finally {
      driver.executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of()));
      driver.executeCdpCommand("Network.disable", Map.of());
    }
  }

  List<WebElement> elements(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** Errors in the console since the last call: failed loads, blocked scripts, … */
  List<String> errors() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /** Saves a screenshot of the page below target/. */
  void picture(String name) throws IOException {
    Path folder = Files.createDirectories(Path.of("target", "pictures"));
    Files.write(folder.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }

  @Override
  public void close() throws IOException {
    driver.quit();
    Folders.delete(profile);
  }
}
