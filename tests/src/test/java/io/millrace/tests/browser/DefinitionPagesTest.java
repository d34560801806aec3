package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.EventMedia;
import io.millrace.api.job.JobDraft;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Definitions and dead letters are edited and deleted in the dashboard, by operators only. */
class DefinitionPagesTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String EVERYTHING = Keys.chord(Keys.CONTROL, "a");

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @Test
  void aDefinitionIsAppliedOnlyAsCheckedAndNotOverTheChangeOfSomebodyElse() throws IOException {
    CLUSTER.define("kind: queue\nname: edited\nlease: 31s\n");
    browser.page("#/queues/edited");
    browser.click("h1 button", "Edit");
    browser.awaitText("p.muted", "Version 1");
    write("kind: queue\nname: edited\nlease: soon\n");
    assertThat(button("Apply").isEnabled()).as("before a check").isFalse();
    browser.click("main button", "Check");
    browser.awaitText("div.problem", "lease (line 3)");

    write("kind: queue\nname: edited\nlease: 32s\n");
    browser.click("main button", "Check");
    browser.awaitText("pre.diff", "+ lease: 32s");
    browser.picture("editor");
    browser.type("textarea.yaml", "maxAttempts: 7\n");
    assertThat(button("Apply").isEnabled()).as("after a change of the text").isFalse();
    browser.click("main button", "Check");
    browser.awaitText("pre.diff", "+ maxAttempts: 7");

    CLUSTER.define("kind: queue\nname: edited\nlease: 33s\n");
    browser.click("main button", "Apply");
    browser.awaitText("div.problem", "queue edited has version 2");
    assertThat(lease("edited")).isEqualTo("33s");
    browser.click("main button", "Read again");
    browser.awaitText("p.muted", "Version 2");
    browser.awaitText("pre.log", "maxAttempts: 7");

    write("kind: queue\nname: edited\nlease: 34s\n");
    browser.click("main button", "Check");
    browser.awaitText("pre.diff", "+ lease: 34s");
    browser.click("main button", "Apply");
    browser.awaitText("#toast", "queue edited is changed, version 3");
    assertThat(lease("edited")).isEqualTo("34s");
    // The refused requests are not errors of the page.
    browser.errors();
  }

  private void write(String yaml) {
    browser.type("textarea.yaml", EVERYTHING + yaml);
  }

  private WebElement button(String words) {
    return browser.elements("main button").stream()
        .filter(one -> one.getText().equals(words))
        .findFirst()
        .orElseThrow();
  }

  private static String lease(String queue) {
    return CLUSTER
        .api(CLUSTER.address(), Role.VIEWER)
        .get("/v1/definitions/queue/" + queue)
        .as(JsonNode.class)
        .at("/definition/lease")
        .asText();
  }

  @Test
  void aQueueIsDeletedAfterAListOfWhatItHoldsAndCreatedAgainFromAVersion() throws IOException {
    CLUSTER.define("kind: queue\nname: unwanted\n");
    send("unwanted", "{}\n{}\n{}\n");
    Awaitility.await("the events are reported")
        .atMost(SOON)
        .until(() -> CLUSTER.view("unwanted").waiting() == 3);
    browser.page("#/queues/unwanted");
    browser.click("h1 button", "Delete");
    browser.awaitText("dialog li", "3 waiting events");
    browser.elements("dialog input[value=DISCARD]").get(0).click();
    assertThat(browser.elements("dialog button[type=submit]:disabled")).hasSize(1);
    browser.picture("delete");
    browser.type("dialog input[name=confirm]", "unwanted");
    browser.click("dialog button", "Delete");
    browser.awaitText("main .notice", "queue unwanted was deleted by");
    assertThat(browser.elements("h1 .buttons:not([hidden]) button")).isEmpty();

    browser.click("td button", "Roll back");
    browser.click("dialog button", "Roll back");
    browser.awaitText("h1 button", "Pause sending");
    browser.awaitText("tbody tr", "in force");
    // Requests about the deleted queue are refused.
    browser.errors();
  }

  @Test
  void whatIsConfirmedForOneVersionDoesNotHappenToTheNext() {
    CLUSTER.define("kind: queue\nname: replaced\n");
    send("replaced", "{}\n");
    Awaitility.await("the event is reported")
        .atMost(SOON)
        .until(() -> CLUSTER.view("replaced").waiting() == 1);
    delete("replaced", DeletionMode.DRAIN);
    browser.page("#/queues");
    browser.awaitText("tr", "▲ deleting");
    browser.page("#/queues/replaced");
    browser.click("button", "Discard the rest");
    browser.type("dialog input[name=confirm]", "replaced");
    delete("replaced", DeletionMode.DISCARD);
    Awaitility.await("it is deleted")
        .atMost(SOON)
        .until(
            () ->
                CLUSTER.central().definitions().stream()
                    .noneMatch(one -> one.name().equals("replaced")));
    CLUSTER.define("kind: queue\nname: replaced\nlease: 31s\n");
    browser.click("dialog button", "Discard");
    browser.awaitText("dialog .problem", "queue replaced has version 2");
    browser.click("dialog button", "Cancel");

    browser.leaveTo("#/queues");
    browser.awaitText("h1", "Queues");
    browser.leaveTo("#/queues/replaced");
    browser.click("td button", "Roll back");
    browser.awaitText("dialog h2", "Roll back to version 1");
    CLUSTER.define("kind: queue\nname: replaced\nlease: 32s\n");
    browser.click("dialog button", "Roll back");
    browser.awaitText("dialog .problem", "queue replaced has version 3");
    assertThat(lease("replaced")).isEqualTo("32s");
    // The refused requests, and those about the deleted queue, are not errors of the page.
    browser.errors();
  }

  private static void delete(String queue, DeletionMode mode) {
    CLUSTER.central(Role.ADMIN).delete("queue", queue, new DeletionRequest(mode, false));
  }

  @Test
  void aDeadLetterIsRequeuedWithChangedDataThatKeepsItsLongNumbers() {
    CLUSTER.define(
        """
        kind: queue
        name: misspelt
        maxAttempts: 1
        pacing: {tick: 200ms}
        worker: {command: [sh, -c, "grep -q 90071992547409931 && exit 4"]}
        """);
    send("misspelt", "{\"customer\":9007199254740993}\n");
    Awaitility.await("a dead letter").atMost(SOON).until(() -> dead("misspelt").size() == 1);
    browser.page("#/queues/misspelt/dead");
    browser.click("td button", "Edit and requeue");
    browser.awaitText("dialog h2", "with changed data");
    assertThat(browser.elements("dialog textarea").get(0).getAttribute("value"))
        .contains("9007199254740993");
    browser.type("dialog textarea", "}");
    browser.click("dialog button", "Requeue");
    browser.awaitText("dialog .problem", "JSON");
    browser.type("dialog textarea", EVERYTHING + "{\"customer\":90071992547409931}");
    browser.click("dialog button", "Requeue");
    browser.awaitText("#toast", "Requeued with changed data");
    Awaitility.await("it failed again, with the changed data")
        .atMost(SOON)
        .until(
            () ->
                dead("misspelt").stream()
                    .anyMatch(one -> one.data().toString().contains("90071992547409931")));
  }

  @Test
  void aDeadLetterWhoseDataIsAnArrayStaysOneEvent() {
    failing("listed", "[{\"a\":1}]\n");
    browser.page("#/queues/listed/dead");
    browser.click("td button", "Edit and requeue");
    browser.type("dialog textarea", EVERYTHING + "[{\"a\":2}]");
    browser.click("dialog button", "Requeue");
    browser.awaitText("#toast", "Requeued with changed data");
    Awaitility.await("it failed again, with the changed data")
        .atMost(SOON)
        .until(
            () ->
                dead("listed").stream()
                    .anyMatch(one -> one.data().toString().equals("[{\"a\":2}]")));
  }

  @Test
  void aBrowserThatRoundsLongNumbersDoesNotEditThem() {
    failing("rounded", "{\"customer\":9007199254740993}\n");
    browser.without("JSON.rawJSON");
    browser.leaveTo("#/queues/rounded/dead");
    browser.click("td button", "Edit and requeue");
    browser.awaitText("#toast", "This browser rounds long numbers");
    assertThat(browser.elements("dialog")).isEmpty();
  }

  @Test
  void aDialogStaysOpenUntilItsChangeIsAnswered() {
    failing("slow", "1\n");
    browser.page("#/queues/slow/dead");
    browser.whileHeldBack(
        "requeue-changed",
        () -> {
          browser.click("td button", "Edit and requeue");
          browser.click("dialog button", "Requeue");
          browser.type("dialog textarea", Keys.ESCAPE);
          browser.type("dialog textarea", Keys.ESCAPE);
          assertThat(browser.elements("dialog button[type=button]:disabled")).hasSize(1);
        });
    browser.awaitText("#toast", "Requeued with changed data");
    assertThat(browser.elements("dialog")).isEmpty();
  }

  @Test
  void aPageIsShownAsToAViewerUntilTheServerSaysWhoIsLoggedIn() {
    CLUSTER.define("kind: queue\nname: early\n");
    browser.page("#/queues/early");
    browser.whileHeldBack(
        "/v1/caller",
        () -> {
          browser.awaitText("h1 button", "Events");
          assertThat(browser.elements("h1 button")).hasSize(1);
        });
    browser.awaitText("h1 button", "Pause sending");
  }

  /** A queue with one dead letter, whose workers fail. */
  private static void failing(String queue, String line) {
    CLUSTER.define(
        """
        kind: queue
        name: %s
        maxAttempts: 1
        pacing: {tick: 200ms}
        worker: {command: [sh, -c, "exit 4"]}
        """
            .formatted(queue));
    send(queue, line);
    Awaitility.await("a dead letter").atMost(SOON).until(() -> dead(queue).size() == 1);
  }

  @Test
  void aViewerSeesNoButtonsThatChangeSomething() {
    CLUSTER.define("kind: queue\nname: watched\n");
    CLUSTER.define("kind: task\nname: watched\njob: {command: [\"true\"]}\n");
    CLUSTER
        .central(Role.OPERATOR)
        .submit(JobDraft.command("true").name("watched job").hold(true).spec());
    // An operator sees them, by the same selectors.
    browser.page("#/queues/watched");
    browser.awaitText("h1 button", "Pause sending");
    assertThat(browser.elements("h1 button")).hasSizeGreaterThan(1);
    browser.page("#/tasks/watched");
    browser.awaitText("h1 button", "Run now");
    browser.page("#/jobs");
    browser.awaitText("main .buttons button", "Cancel");
    browser.awaitText("tbody tr", "watched job");
    assertThat(browser.elements("tbody input")).isNotEmpty();

    BROWSER.logIn(Role.VIEWER);
    browser.page("#/queues/watched");
    browser.awaitText("h1 button", "Events");
    assertThat(browser.elements("h1 button")).hasSize(1);
    browser.page("#/tasks/watched");
    browser.awaitText("dl.facts", "true");
    assertThat(browser.elements("h1 button")).isEmpty();
    browser.page("#/jobs");
    browser.awaitText("tbody tr", "watched job");
    assertThat(browser.elements("main .buttons button, tbody input")).isEmpty();
    browser.page("#/queues/watched/edit");
    browser.awaitText("main .notice", "Only administrators and operators");
  }

  private static List<DeadEvent> dead(String queue) {
    return CLUSTER.central(Role.VIEWER).deadLetters().list(queue, 10, null).found();
  }

  private static void send(String queue, String lines) {
    CLUSTER
        .producer()
        .send(queue, "some", EventMedia.LINES, lines.getBytes(StandardCharsets.UTF_8));
  }
}
