package io.millrace.bench.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionNumber;
import io.millrace.bench.session.SessionCalls.DeliveredEvent;
import io.millrace.bench.session.SessionCalls.DeliveredSession;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class KeyOrderCheckTest {
  private static final String KEY = "s-1000000000";
  private static final UUID FIRST = new UUID(0, 1);
  private static final UUID SECOND = new UUID(0, 2);

  private final KeyOrderCheck check =
      new KeyOrderCheck(new GeneratedSessions("s", 10, 14, true, 200));

  @Test
  void consecutiveEventsAreInOrder() {
    assertThat(check.deliver(FIRST, events("1.1", 1, 2, 3))).isEqualTo(3);
    assertThat(check.deliver(FIRST, events("1.1", 4))).isEqualTo(1);
    assertThat(check.delivered()).isEqualTo(4);
    assertThat(check.violations()).isZero();
  }

  @Test
  void whatAWorkerHadAlreadyIsARepetition() {
    check.deliver(FIRST, events("1.1", 1, 2));
    assertThat(check.deliver(FIRST, events("1.1", 2, 3))).isEqualTo(1);
    assertThat(check.repeated()).isEqualTo(1);
    assertThat(check.violations()).isZero();
  }

  @Test
  void aSuccessorGetsAllAgain() {
    check.deliver(FIRST, events("1.1", 1, 2));
    assertThat(check.deliver(SECOND, events("1.2", 1, 2, 3))).isEqualTo(1);
    assertThat(check.handovers()).isEqualTo(1);
    assertThat(check.delivered()).isEqualTo(3);
    assertThat(check.violations()).isZero();
  }

  @Test
  void aGapIsAViolation() {
    check.deliver(FIRST, events("1.1", 1));
    check.deliver(FIRST, events("1.1", 3));
    assertThat(check.examples()).singleElement().asString().contains("event 3 after 1");
  }

  @Test
  void aSuccessorThatMissesTheBeginningIsAViolation() {
    check.deliver(FIRST, events("1.1", 1, 2));
    check.deliver(SECOND, events("1.2", 3));
    assertThat(check.examples()).singleElement().asString().contains("event 3 after 0");
  }

  @Test
  void anEventOfAnEarlierNumberIsAViolation() {
    check.deliver(FIRST, events("1.1", 1));
    check.deliver(SECOND, events("2.1", 1));
    check.deliver(FIRST, events("1.1", 2));
    assertThat(check.examples()).singleElement().asString().contains("a number before 2.1");
  }

  @Test
  void twoWorkersUnderOneNumberAreAViolation() {
    check.deliver(FIRST, events("1.1", 1));
    check.deliver(SECOND, events("1.1", 2));
    assertThat(check.examples()).singleElement().asString().contains("under the same number");
  }

  @Test
  void anEventInAnotherPlaceThanTheProducersIsAViolation() {
    check.deliver(
        FIRST,
        new DeliveredSession(
            KEY, SessionNumber.of("1.1"), 1, java.util.List.of(new DeliveredEvent(1, "x", 2))));
    assertThat(check.examples())
        .singleElement()
        .asString()
        .contains("the producer's event 2 (x) at place 1");
  }

  @Test
  void aDeliveryAfterTheConfirmedCompletionIsAViolation() {
    check.deliver(FIRST, events("1.1", 1));
    assertThat(check.isCompleted(KEY)).isFalse();
    check.completed(KEY);
    check.completed(KEY);
    assertThat(check.isCompleted(KEY)).isTrue();
    assertThat(check.completed()).isEqualTo(1);
    check.deliver(FIRST, events("1.1", 2));
    assertThat(check.examples()).singleElement().asString().contains("after its completion");
  }

  private static DeliveredSession events(String number, long... places) {
    return new DeliveredSession(
        KEY,
        SessionNumber.of(number),
        1,
        LongStream.of(places).mapToObj(n -> new DeliveredEvent(n, "id-" + n, n)).toList());
  }
}
