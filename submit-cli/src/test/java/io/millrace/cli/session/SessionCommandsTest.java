package io.millrace.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionCommandsTest {
  private static final String QUEUE = "/v1/queues/orders";

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsWhoHasASessionAndWhatAnotherOneWaitsFor() {
    cluster.answering(
        "GET " + QUEUE + "/sessions?limit=50",
        new SessionPage(
            List.of(
                SessionSamples.open("order-17", SessionSamples.FIRST),
                SessionSamples.unassigned("order-18", "all workers are full")),
            null));

    assertThat(run.run("session", "list", "orders")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            KEY       STATE       WORKER  NODE  NUMBER  EVENTS  DONE  OPENED  OLDEST  WAITS FOR
            order-17  open        packer  q1       3.1   1,005     3      5m   1m03s
            order-18  unassigned  -       q1       3.1   1,005     3      5m   1m30s  all workers are full
            """);
    assertThat(run.messages()).isEmpty();
  }

  @Test
  void aLongListIsReadInSeveralPagesAndSaysHowToContinue() {
    cluster.answering(
        "GET " + QUEUE + "/sessions?limit=2&state=parked",
        new SessionPage(List.of(SessionSamples.unassigned("a", null)), "417/a"));
    cluster.answering(
        "GET " + QUEUE + "/sessions?limit=1&state=parked&after=417%2Fa",
        new SessionPage(List.of(SessionSamples.unassigned("b", null)), "500/b"));

    assertThat(run.run("session", "list", "orders", "--state", "parked", "--limit", "2")).isZero();

    assertThat(run.output()).contains("\na ").contains("\nb ");
    assertThat(run.messages()).isEqualTo("more sessions: use --after 500/b\n");
  }

  @Test
  void aServerThatNamesTheSamePageAgainIsNotAskedWithoutEnd() {
    cluster.answering("GET " + QUEUE + "/sessions", new SessionPage(List.of(), "417/a"));

    assertThat(run.run("session", "list", "orders")).isZero();

    assertThat(cluster.asked()).hasSize(2);
    assertThat(run.messages()).contains("more sessions: use --after 417/a");
  }

  @Test
  void aServerThatAnswersWithEmptyPagesWithoutEndIsNotAskedWithoutEnd() {
    AtomicInteger pages = new AtomicInteger();
    cluster.when(
        "GET " + QUEUE + "/sessions",
        call ->
            FakeCluster.answer(
                200,
                "application/json",
                Json.writeBytes(new SessionPage(List.of(), "0/" + pages.incrementAndGet()))));

    assertThat(run.run("session", "list", "orders", "--state", "parked")).isZero();

    assertThat(cluster.asked()).hasSize(100);
    assertThat(run.messages()).contains("more sessions: use --after 0/100");
  }

  @Test
  void nodesThatAreMissingInAListAreNamed() {
    byte[] page = Json.writeBytes(new SessionPage(List.of(), null));
    Map<String, String> headers =
        Map.of("content-type", "application/json", "millrace-unreached", "q1,q3");
    cluster.when("GET " + QUEUE + "/sessions", call -> new HttpAnswer(200, headers, page));
    cluster.when(
        "GET " + QUEUE + "/session-workers",
        call -> new HttpAnswer(200, headers, Json.writeBytes(List.of())));

    assertThat(run.run("session", "list", "orders")).isZero();
    assertThat(run.messages())
        .contains("note: q1, q3 did not answer; what they have is not included");
    assertThat(run.run("session", "worker", "list", "orders")).isZero();
    assertThat(run.messages())
        .contains("note: q1, q3 did not answer; what they have is not included");
  }

  @Test
  void jsonHasTheSessionsAndTheirContinuation() {
    cluster.answering(
        "GET " + QUEUE + "/sessions",
        new SessionPage(List.of(SessionSamples.unassigned("a", null)), "417/a"));

    assertThat(run.run("session", "list", "orders", "--limit", "1", "--json")).isZero();

    SessionPage printed = Json.read(run.output(), SessionPage.class);
    assertThat(printed.next()).isEqualTo("417/a");
    assertThat(printed.sessions()).hasSize(1);
    assertThat(run.messages()).isEmpty();
  }

  @Test
  void aListWithoutSessionsSaysSo() {
    cluster.answering("GET " + QUEUE + "/sessions", new SessionPage(List.of(), null));
    assertThat(run.run("session", "list", "orders")).isZero();
    assertThat(run.messages()).isEqualTo("no open sessions\n");
  }

  @Test
  void anUnknownStateIsAUsageErrorThatNamesThoseThatExist() {
    assertThat(run.run("session", "list", "orders", "--state", "lost")).isEqualTo(2);
    assertThat(run.messages()).contains("unassigned, open, parked, completed");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aSessionIsShownWithItsEventsItsSnapshotAndItsHandOvers() {
    cluster.answering(
        "GET " + QUEUE + "/session?key=order%2F17",
        SessionSamples.details(SessionSamples.unassigned("order/17", "all workers are full")));

    assertThat(run.run("session", "show", "orders", "order/17")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            session order/17 of orders
              state       unassigned
              waits for   all workers are full
              worker      none
              node        q1, slot 417
              number      3.1
              events      1,005 accepted, 3 acknowledged, 1,002 not
              opened      5m ago
              last event  10s ago
              oldest      1m30s not acknowledged
              snapshot    covers the events up to number 3

            History
              AGO  WHAT      NUMBER  WORKER    REASON
               4m  assigned     3.1  4f1c0000
               2m  returned     3.1  4f1c0000  its worker was silent

            Snapshot
              | {"paid":true}

            Events kept
              N  ID  STORED  STATE      ATTRIBUTES       DATA
              4  e4      1m  delivered  {"kind":"paid"}  {"n":4}
              5  e5      1m  waiting    -                {"n":5}
              … and 1,000 more events are not shown
            """);
  }

  @Test
  void ofASnapshotThatIsTooLargeToBeShownTheSizeIsSaid() {
    SessionView session = SessionSamples.unassigned("order-17", null);
    cluster.answering(
        "GET " + QUEUE + "/session",
        new SessionDetails(session, List.of(), 1, null, 3, 4_194_304, List.of()));
    assertThat(run.run("session", "show", "orders", "order-17")).isZero();
    assertThat(run.output())
        .contains("covers the events up to number 3; it has 4,194,304 bytes and is not shown")
        .contains("… and 1 more event is not shown");
  }

  @Test
  void aSessionThatWasClosedSaysHowManyOfItsEventsWereGivenUp() {
    SessionView closed = SessionSamples.completed("order-17");
    cluster.answering("GET " + QUEUE + "/session", new SessionDetails(closed, List.of()));
    assertThat(run.run("session", "show", "orders", "order-17")).isZero();
    assertThat(run.output()).contains("1,005 accepted; 1002 events were given up");
  }

  @Test
  void anUnknownSessionIsNotFound() {
    cluster.refusing(
        "GET " + QUEUE + "/session",
        ErrorCode.UNKNOWN_SESSION,
        "there is no session with this key");
    assertThat(run.run("session", "show", "orders", "x")).isEqualTo(3);
    assertThat(run.messages()).contains("there is no session with this key");
  }

  @ParameterizedTest
  @CsvSource({"move, MOVE, delivered again", "close, CLOSE, closed", "drop, DROP, deleted"})
  void allParkedSessionsAreActedOn(String verb, SessionAction action, String done) {
    cluster.answering(
        "GET " + QUEUE + "/sessions?limit=200&state=parked",
        new SessionPage(List.of(SessionSamples.unassigned("a", null)), "417/a"));
    cluster.answering(
        "GET " + QUEUE + "/sessions?limit=200&state=parked&after=417%2Fa",
        new SessionPage(
            List.of(SessionSamples.unassigned("b", null), SessionSamples.unassigned("c", null)),
            null));
    List<SessionCommand> asked = new ArrayList<>();
    cluster.when(
        "POST " + QUEUE + "/session-actions",
        call -> {
          SessionCommand command = Json.read(call.body(), SessionCommand.class);
          asked.add(command);
          if (command.key().equals("b")) {
            return cluster.refused(ErrorCode.CONFLICT, "it is not parked");
          }
          return FakeCluster.answer(
              200, "application/json", Json.writeBytes(new SessionActed("done")));
        });

    List<String> arguments = new ArrayList<>(List.of("session", verb, "orders", "--all-parked"));
    arguments.addAll(List.of("--reason", "it is back"));
    arguments.addAll(verb.equals("move") ? List.of() : List.of("--yes"));
    assertThat(run.run(arguments.toArray(String[]::new))).isZero();

    assertThat(asked)
        .containsExactly(
            new SessionCommand(action, "a", "it is back", SessionState.PARKED),
            new SessionCommand(action, "b", "it is back", SessionState.PARKED),
            new SessionCommand(action, "c", "it is back", SessionState.PARKED));
    assertThat(run.output())
        .isEqualTo(
            "2 parked sessions of orders: "
                + done
                + "; 1 skipped: no longer parked, or its slot is moving\n");
  }

  @Test
  void aBrokenOffActionOnAllParkedSessionsSaysHowManyWereDone() {
    cluster.answering(
        "GET " + QUEUE + "/sessions",
        new SessionPage(List.of(SessionSamples.unassigned("a", null)), null));
    cluster.refusing("POST " + QUEUE + "/session-actions", ErrorCode.UNREACHABLE, "q1 is away");

    assertThat(run.run("session", "move", "orders", "--all-parked")).isNotZero();

    assertThat(run.messages()).contains("note: done before: 0 sessions").contains("q1 is away");
  }

  @ParameterizedTest
  @CsvSource({"move orders", "move orders k --all-parked", "close orders --yes", "drop orders"})
  void aKeyOrAllParkedMustBeNamed(String line) {
    assertThat(run.run(("session " + line).split(" "))).isEqualTo(2);
    assertThat(run.messages()).contains("--all-parked");
    assertThat(cluster.asked()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"close", "drop"})
  void endingAllParkedSessionsIsConfirmed(String verb) {
    assertThat(run.run("session", verb, "orders", "--all-parked")).isNotZero();
    assertThat(run.messages()).contains("all parked sessions of queue orders").contains("--yes");
    assertThat(cluster.asked()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"move, MOVE", "close, CLOSE", "drop, DROP"})
  void anActionIsSentWithItsReasonAndSaysWhatHappens(String verb, SessionAction action) {
    cluster.answering(
        "POST " + QUEUE + "/session-actions",
        new SessionActed("session order-17 has no worker; there is nothing to move"));
    String[] words = {"session", verb, "orders", "order-17", "--reason", "it hangs", "--yes"};

    int exit =
        run.run(verb.equals("drop") ? words : List.of(words).subList(0, 6).toArray(new String[0]));

    assertThat(exit).isZero();
    assertThat(run.output())
        .isEqualTo("session order-17 has no worker; there is nothing to move\n");
    assertThat(Json.read(cluster.last().body(), SessionCommand.class))
        .isEqualTo(SessionCommand.of(action, "order-17", "it hangs"));
  }

  @Test
  void droppingAsksOnATerminalAndRequiresYesElsewhere() {
    cluster.answering("POST " + QUEUE + "/session-actions", new SessionActed("deleted"));

    assertThat(run.run("session", "drop", "orders", "order-17")).isEqualTo(2);
    assertThat(run.messages()).contains("--yes");
    assertThat(run.onTerminal().reading("no\n").run("session", "drop", "orders", "order-17"))
        .isEqualTo(2);
    assertThat(cluster.asked()).isEmpty();

    assertThat(run.reading("order-17\n").run("session", "drop", "orders", "order-17")).isZero();
    assertThat(cluster.asked()).hasSize(1);
  }

  @Test
  void keysFromOutsideAreEscaped() {
    cluster.answering(
        "GET " + QUEUE + "/sessions",
        new SessionPage(List.of(SessionSamples.unassigned("a\u001b]0;owned\u0007", "b\nc")), null));
    run.run("session", "list", "orders");
    assertThat(run.output()).contains("a\\x1b]0;owned\\x07").contains("b\\nc");
  }
}
