package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NodeLeaseTest {
  private static final Optional<Duration> TEN = Optional.of(Duration.ofSeconds(10));

  // Near the overflow.
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final NodeLease lease = new NodeLease("q1", nanos::get);

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void aNodeThatWasNeverHeardMayNotServe() {
    assertThat(lease.held()).isFalse();
    assertThatThrownBy(lease::require)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining("q1 serves no sessions now");
  }

  @Test
  void theLeaseCountsFromTheBeginningOfTheReportAndNotFromItsAnswer() {
    long begun = lease.now();
    pass(Duration.ofSeconds(4));
    lease.renewed(begun, TEN);
    pass(Duration.ofSeconds(5));
    assertThat(lease.held()).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(lease.held()).isFalse();
  }

  @Test
  void anAnswerThatComesTooLateRenewsNothing() {
    long begun = lease.now();
    pass(Duration.ofSeconds(11));
    lease.renewed(begun, TEN);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void aLateAnswerToAnEarlierReportDoesNotShortenTheLease() {
    long first = lease.now();
    pass(Duration.ofSeconds(3));
    lease.renewed(lease.now(), TEN);
    lease.renewed(first, TEN);
    pass(Duration.ofSeconds(9));
    assertThat(lease.held()).isTrue();
  }

  @Test
  void aGapIsRememberedSoThatWorkersThatWereRefusedAreNotTakenForSilent() {
    lease.renewed(lease.now(), TEN);
    assertThat(lease.lastGap().length()).isZero();
    pass(Duration.ofSeconds(70));
    lease.renewed(lease.now(), TEN);
    pass(Duration.ofSeconds(2));
    assertThat(lease.lastGap().length()).isEqualTo(Duration.ofSeconds(60));
    assertThat(lease.lastGap().since()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void withoutAWordOfTheCentralManagerTheLeaseIsTheUsualOne() {
    lease.renewed(lease.now(), Optional.empty());
    assertThat(lease.length()).isEqualTo(NodeLease.USUAL);
    pass(NodeLease.USUAL);
    assertThat(lease.held()).isFalse();
  }
}
