package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.millrace.manager.pacing.Breaker.RunEnd;
import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final BreakerDefinition RULE = BreakerDefinition.DEFAULT;
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void itOpensWhenHalfOfTheLastTwentyRunsFailedOnDistinctEvents() {
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 9; run++) {
      breaker = run(run(breaker, true, "event " + run), false, null);
    }
    assertThat(breaker.open()).isFalse();

    breaker = run(breaker, true, "event 9");
    assertThat(breaker.open()).isTrue();
    assertThat(breaker.reason()).startsWith("10 of the last 20 runs failed");
  }

  @Test
  void onePoisonEventDoesNotOpenIt() {
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 100; run++) {
      breaker = run(breaker, true, "the poison one");
    }
    assertThat(breaker.open()).isFalse();
  }

  @Test
  void withOneWorkerAtATimeEventsThatFailUntilDeadOpenItToo() {
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 45; run++) {
      breaker = run(breaker, true, "event " + run / 5);
    }
    assertThat(breaker.open()).isFalse();
    breaker = run(breaker, true, "event 9");
    assertThat(breaker.open()).isTrue();
  }

  @Test
  void eventsThatWereChargedBeforeItOpenedArePardoned() {
    Breaker breaker = run(Breaker.CLOSED, true, null);
    for (int run = 0; run < 9; run++) {
      breaker = run(breaker, true, "event " + run);
    }
    assertThat(breaker.open()).isTrue();
    assertThat(breaker.pardons()).hasSize(9).startsWith("event 0").endsWith("event 8");

    breaker = run(breaker, true, "charged while the nodes had not heard of it");
    assertThat(breaker.pardons()).hasSize(10);
    breaker = breaker.pardoned(breaker.pardons().subList(0, 9));
    assertThat(breaker.pardons()).containsExactly("charged while the nodes had not heard of it");
    assertThat(breaker.open()).isTrue();
  }

  @Test
  void failuresBeforeTheLastRunsDoNotCount() {
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 9; run++) {
      breaker = run(breaker, true, null);
    }
    for (int run = 0; run < 20; run++) {
      breaker = run(breaker, false, null);
    }
    assertThat(breaker).isEqualTo(Breaker.CLOSED);
    assertThat(breaker.quiet()).isTrue();
  }

  @Test
  void whileItIsOpenOneProbeIsLetThroughEachMinute() {
    Breaker open = opened();
    assertThat(open.allowed(10, RULE, NOW.plusSeconds(59))).isZero();
    assertThat(open.allowed(10, RULE, NOW.plusSeconds(60))).isEqualTo(1);
    assertThat(open.allowed(0, RULE, NOW.plusSeconds(60))).isZero();

    Breaker probing = open.probing(7, NOW.plusSeconds(60));
    assertThat(probing.allowed(10, RULE, NOW.plusSeconds(119))).isZero();
    assertThat(probing.allowed(10, RULE, NOW.plusSeconds(120))).isEqualTo(1);
  }

  @Test
  void itClosesByItselfWhenEnoughProbesSucceededInARow() {
    Breaker breaker = opened();
    for (int probe = 1; probe <= 3; probe++) {
      assertThat(breaker.open()).isTrue();
      breaker = breaker.probing(probe, NOW.plusSeconds(60));
      breaker = breaker.after(new RunEnd(probe, false, null), RULE, NOW.plusSeconds(61));
      if (probe < 3) {
        // After a success nobody waits a minute for the next.
        assertThat(breaker.allowed(10, RULE, NOW.plusSeconds(61))).isEqualTo(1);
      }
    }
    assertThat(breaker).isEqualTo(Breaker.CLOSED);
  }

  @Test
  void aFailedProbeRestartsTheCount() {
    Breaker breaker = opened().probing(1, NOW);
    breaker = breaker.after(new RunEnd(1, false, null), RULE, NOW).probing(2, NOW);
    breaker = breaker.after(new RunEnd(2, true, null), RULE, NOW);
    assertThat(breaker.open()).isTrue();
    assertThat(breaker.succeeded()).isZero();
    assertThat(breaker.allowed(10, RULE, NOW.plusSeconds(30))).isZero();
  }

  @Test
  void runsThatWereSubmittedBeforeItOpenedDoNotCloseIt() {
    Breaker breaker = opened().probing(7, NOW);
    for (int run = 0; run < 50; run++) {
      breaker = breaker.after(new RunEnd(1000 + run, false, null), RULE, NOW);
    }
    assertThat(breaker.open()).isTrue();
    assertThat(breaker.succeeded()).isZero();
  }

  @Test
  void aDisabledBreakerNeverOpens() {
    BreakerDefinition off = new BreakerDefinition(0, 0, null, 0, true);
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 50; run++) {
      breaker = breaker.after(new RunEnd(run, true, null), off, NOW);
    }
    assertThat(breaker.open()).isFalse();
    assertThat(opened().allowed(10, off, NOW)).isEqualTo(10);
  }

  @Test
  void theProbeIntervalComesFromTheDefinition() {
    BreakerDefinition slow = new BreakerDefinition(4, 1, Duration.ofMinutes(10), 1, false);
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 4; run++) {
      assertThat(breaker.open()).isFalse();
      breaker = breaker.after(new RunEnd(run, true, null), slow, NOW);
    }
    assertThat(breaker.allowed(1, slow, NOW.plus(Duration.ofMinutes(9)))).isZero();
    assertThat(breaker.allowed(1, slow, NOW.plus(Duration.ofMinutes(10)))).isEqualTo(1);
  }

  /** Against a plain count over the whole history. */
  @Property
  void itIsOpenExactlyWhenSomeTwentyRunsInARowHeldTenFailures(
      @ForAll @Size(max = 120) boolean[] failed) {
    Breaker breaker = Breaker.CLOSED;
    boolean expected = false;
    for (int run = 0; run < failed.length && !expected; run++) {
      breaker = breaker.after(new RunEnd(run, failed[run], null), RULE, NOW);
      int failures = 0;
      for (int back = Math.max(0, run - 19); back <= run; back++) {
        failures += failed[back] ? 1 : 0;
      }
      expected = failures >= 10;
      assertThat(breaker.open()).isEqualTo(expected);
    }
  }

  private static Breaker opened() {
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 10; run++) {
      breaker = run(breaker, true, null);
    }
    assertThat(breaker.open()).isTrue();
    return breaker;
  }

  private static Breaker run(Breaker breaker, boolean failed, String event) {
    return breaker.after(new RunEnd(1, failed, event), RULE, NOW);
  }
}
