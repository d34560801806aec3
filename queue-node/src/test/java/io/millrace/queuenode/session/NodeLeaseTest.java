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

  private void renew(long begun, Optional<Duration> lasting) {
    if (!lease.extended(begun, lasting)) {
      lease.begins(begun, lasting);
      lease.inLine(lease.now());
    }
  }

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
    renew(begun, TEN);
    pass(Duration.ofSeconds(5));
    assertThat(lease.held()).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(lease.held()).isFalse();
  }

  @Test
  void anAnswerThatComesTooLateRenewsNothing() {
    long begun = lease.now();
    pass(Duration.ofSeconds(11));
    renew(begun, TEN);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void aLateAnswerToAnEarlierReportDoesNotShortenTheLease() {
    long first = lease.now();
    pass(Duration.ofSeconds(3));
    renew(lease.now(), TEN);
    renew(first, TEN);
    pass(Duration.ofSeconds(9));
    assertThat(lease.held()).isTrue();
  }

  @Test
  void aGapIsRememberedSoThatWorkersThatWereRefusedAreNotTakenForSilent() {
    renew(lease.now(), TEN);
    assertThat(lease.lastGap().length()).isZero();
    pass(Duration.ofSeconds(70));
    renew(lease.now(), TEN);
    pass(Duration.ofSeconds(2));
    assertThat(lease.lastGap().length()).isEqualTo(Duration.ofSeconds(60));
    assertThat(lease.lastGap().since()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void withoutAWordOfTheCentralManagerTheLeaseIsTheUsualOne() {
    renew(lease.now(), Optional.empty());
    assertThat(lease.length()).isEqualTo(NodeLease.USUAL);
    pass(NodeLease.USUAL);
    assertThat(lease.held()).isFalse();
  }

  @Test
  void afterAGapAndAtTheStartTheSlotsAreBroughtIntoLineBeforeAnythingIsServed() {
    assertThat(lease.extended(lease.now(), TEN)).as("there is none").isFalse();
    long before = lease.now();
    pass(Duration.ofMillis(1));
    lease.begins(lease.now(), TEN);
    lease.inLine(before);
    assertThat(lease.held()).as("they were looked at before the topology came").isFalse();
    lease.inLine(lease.now());
    assertThat(lease.held()).isTrue();

    pass(Duration.ofSeconds(11));
    lease.inLine(lease.now());
    assertThat(lease.extended(lease.now(), TEN)).as("it has ended").isFalse();
    assertThat(lease.held()).isFalse();
    lease.begins(lease.now(), TEN);
    assertThat(lease.held()).isFalse();
    pass(Duration.ofSeconds(5));
    assertThat(lease.extended(lease.now(), TEN)).as("reports go on meanwhile").isTrue();
    pass(Duration.ofSeconds(9));
    lease.inLine(lease.now());
    assertThat(lease.held()).isTrue();
    assertThat(lease.lastGap().length()).as("until it serves again").hasSeconds(15);
  }
}
