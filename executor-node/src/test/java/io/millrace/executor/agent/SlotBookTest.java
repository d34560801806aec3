package io.millrace.executor.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import org.junit.jupiter.api.Test;

class SlotBookTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);
  private static final AttemptId SECOND = new AttemptId(2, 1);

  private final SlotBook book = new SlotBook(4);

  @Test
  void booksUpToItsCapacityAndNotBeyond() {
    assertThat(book.book(FIRST, 3)).isTrue();
    assertThat(book.book(SECOND, 2)).isFalse();
    assertThat(book.book(SECOND, 1)).isTrue();
    assertThat(book.used()).isEqualTo(4);
  }

  @Test
  void countsAnAttemptOnceHoweverOftenItIsBookedOrFreed() {
    book.book(FIRST, 3);
    assertThat(book.book(FIRST, 3)).isTrue();
    assertThat(book.used()).isEqualTo(3);

    book.free(FIRST);
    book.free(FIRST);
    assertThat(book.used()).isZero();
  }

  @Test
  void countsWhatRunsAlreadyEvenBeyondItsCapacityAndBooksNothingMeanwhile() {
    book.restore(FIRST, 6);

    assertThat(book.used()).isEqualTo(6);
    assertThat(book.book(SECOND, 1)).isFalse();
    book.free(FIRST);
    assertThat(book.book(SECOND, 1)).isTrue();
  }
}
