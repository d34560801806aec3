package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class NoticeTextTest {
  private static final Instant NOW = Instant.parse("2026-01-05T10:00:00Z");

  @Test
  void theReasonCountsTheDeadLettersThatWereAddedUntilItIsSent() {
    NoticeText one = NoticeText.ofQueue("DEAD", "alert", "the queue then had 1", 1, NOW);
    assertThat(one.sent("n", 0, NOW).reason())
        .isEqualTo("1 event has become a dead letter; the queue then had 1");
    NoticeText more = one.sent("n", 1_499, NOW);
    assertThat(more.reason())
        .isEqualTo("1,500 events have become dead letters; the queue then had 1");
    assertThat(more.count()).isEqualTo(1_500);
  }

  @Test
  void otherReasonsAreSentAsTheyAre() {
    assertThat(NoticeText.ofQueue("PAUSED", "alert", "by ann", 1, NOW).sent("n", 0, NOW).reason())
        .isEqualTo("by ann");
  }
}
