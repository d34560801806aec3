package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.Outcome;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.cli.definition.QueueTryCommand.EventOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EventOutcomeTest {
  @Test
  void successAcknowledgesTheWholeBatch() {
    assertThat(fate(Outcome.SUCCEEDED, 3, 5)).isEqualTo("the 3 events would be acknowledged");
    assertThat(fate(Outcome.SUCCEEDED, 1, 5)).isEqualTo("the event would be acknowledged");
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"FAILED", "SIGNALLED", "TIMED_OUT", "MEMORY_EXCEEDED"})
  void aFailedBatchIsDeliveredSinglyAndASingleEventIsCharged(Outcome outcome) {
    assertThat(fate(outcome, 3, 5)).contains("again one by one").contains("fails 5 times");
    assertThat(fate(outcome, 1, 5)).contains("again; after 5 failures it is a dead letter");
    assertThat(fate(outcome, 1, 1)).isEqualTo("the event would be a dead letter now");
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"START_FAILED", "STOPPED", "LOST"})
  void whatIsNotTheWorkersFaultIsChargedToNobody(Outcome outcome) {
    assertThat(fate(outcome, 2, 1)).contains("at no charge").contains("after 25 such returns");
  }

  private static String fate(Outcome outcome, int events, int maxAttempts) {
    String queue = "{\"name\":\"q\",\"maxAttempts\":" + maxAttempts + "}";
    return EventOutcome.of(outcome, events, Json.read(queue, QueueDefinition.class));
  }
}
