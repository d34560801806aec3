package io.millrace.bench.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bench.session.FakeSessionNode.Mistake;
import io.millrace.bench.session.SessionRound.RoundResult;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SessionRoundTest {
  private static final int SESSIONS = 40;
  private static final int EVENTS = 5;
  private static final Clock CLOCK = new SystemClock();

  private final FakeSessionNode node = new FakeSessionNode("k");

  @Test
  void allEventsOfAllSessionsArriveInOrder() throws Exception {
    RoundResult result = round(0).run();
    assertThat(result.events()).isEqualTo(SESSIONS * EVENTS);
    assertThat(result.sessions()).isEqualTo(SESSIONS);
    assertThat(result.lost()).isZero();
    assertThat(result.unfinished()).isZero();
    assertThat(result.orderViolations()).as("%s", result.examples()).isZero();
    assertThat(result.duplicatesSent()).isZero();
  }

  @Test
  void eventsThatAreSentAgainAreReported() throws Exception {
    RoundResult result = round(0.2).run();
    assertThat(result.duplicatesSent()).isBetween(35L, 45L);
    assertThat(result.duplicatesReported()).isEqualTo(result.duplicatesSent());
    assertThat(result.orderViolations()).isZero();
  }

  @Test
  void aDuplicateThatWasAcceptedIsNotReported() throws Exception {
    node.mistake(Mistake.ACCEPT_A_DUPLICATE);
    RoundResult result = round(0.2).run();
    assertThat(result.duplicatesReported()).isLessThan(result.duplicatesSent());
  }

  @Test
  void aLostEventIsCounted() throws Exception {
    node.mistake(Mistake.LOSE_AN_EVENT);
    RoundResult result = round(0).run();
    assertThat(result.lost()).isPositive();
    assertThat(result.unfinished()).isPositive();
  }

  @Test
  void twoEventsInTheWrongOrderAreCounted() throws Exception {
    node.mistake(Mistake.SWAP_TWO_EVENTS);
    RoundResult result = round(0).run();
    assertThat(result.orderViolations()).isEqualTo(2);
    assertThat(result.examples()).hasSize(2);
    assertThat(result.lost()).isZero();
  }

  @Test
  void aBatchWhoseAnswerWasLostIsSentAgainAndCountsOnce() throws Exception {
    node.dropAnswersOfPuts(3);
    RoundResult result = round(0).run();
    assertThat(result.events()).isEqualTo(SESSIONS * EVENTS);
    assertThat(result.lost()).isZero();
    assertThat(result.orderViolations()).isZero();
  }

  @Test
  void producersThatAreRefusedGoOnWhenWorkersJoin() throws Exception {
    node.cap(6);
    SessionRound round = round(0);
    round.startProducers();
    while (round.refusals() < 10) {
      Thread.onSpinWait();
    }
    assertThat(round.accepted()).isLessThan(SESSIONS * EVENTS);
    round.startWorkers();
    RoundResult result = round.await();
    assertThat(node.mostUnassigned()).isEqualTo(6);
    assertThat(result.events()).isEqualTo(SESSIONS * EVENTS);
    assertThat(result.unfinished()).isZero();
    assertThat(result.lost()).isZero();
  }

  private SessionRound round(double duplicates) {
    List<SessionBenchWorker> workers =
        IntStream.range(0, 2)
            .mapToObj(number -> new SessionBenchWorker(node, "w" + number, 1_000, 10))
            .toList();
    return new SessionRound(
        "test",
        new GeneratedSessions("s", SESSIONS, EVENTS, true, 200),
        new SessionLoad(2, 10, duplicates, false, 0),
        node,
        workers,
        CLOCK,
        Duration.ofMillis(300));
  }
}
