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
    assertThat(outcome(Outcome.SUCCEEDED, 3, 5)).isEqualTo("the 3 events would be acknowledged");
    assertThat(outcome(Outcome.SUCCEEDED, 1, 5)).isEqualTo("the event would be acknowledged");
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"FAILED", "SIGNALLED", "TIMED_OUT", "MEMORY_EXCEEDED"})
  void aFailedBatchIsRedeliveredOneByOneAndASingleEventCountsAsFailed(Outcome outcome) {
    assertThat(outcome(outcome, 3, 5)).contains("redelivered one by one").contains("fails 5 times");
    assertThat(outcome(outcome, 1, 5))
        .contains("redelivered; after 5 failures it becomes a dead letter");
    assertThat(outcome(outcome, 1, 1)).isEqualTo("the event would become a dead letter");
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"START_FAILED", "STOPPED", "LOST"})
  void failuresThatAreNotOfTheWorkerAreNotCounted(Outcome outcome) {
    assertThat(outcome(outcome, 2, 1))
        .contains("without counting as failed")
        .contains("after 25 such returns");
  }

  private static String outcome(Outcome outcome, int events, int maxAttempts) {
    String queue = "{\"name\":\"q\",\"maxAttempts\":" + maxAttempts + "}";
    return EventOutcome.of(outcome, events, Json.read(queue, QueueDefinition.class));
  }
}
