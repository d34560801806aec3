package io.millrace.manager.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.manager.workflow.TemplateBreaker.State;
import io.millrace.manager.workflow.TemplateBreaker.StepFailure;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TemplateBreakerTest {
  private static final Instant NOW = Instant.parse("2026-03-01T00:00:00Z");
  private static final BreakerRule RULE = BreakerRule.DEFAULT;

  private static TemplateBreaker look(
      TemplateBreaker before, int succeeded, int failed, Outcome outcome) {
    return look(RULE, before, succeeded, failed, outcome);
  }

  private static TemplateBreaker look(
      BreakerRule rule, TemplateBreaker before, int succeeded, int failed, Outcome outcome) {
    TemplateBreaker looked = before.looked(succeeded, failed, rule);
    List<StepFailure> evidence =
        Collections.nCopies(looked.evidence(rule), new StepFailure(outcome, "e1", NOW));
    return looked.judged(evidence, rule, NOW);
  }

  private static TemplateBreaker fresh() {
    return TemplateBreaker.fresh(NOW);
  }

  private static TemplateBreaker open() {
    return look(fresh(), 0, 10, Outcome.FAILED);
  }

  @Test
  void tenFailuresOutOfTenOpenIt() {
    assertThat(look(fresh(), 0, 9, Outcome.FAILED).state()).isEqualTo(State.CLOSED);
    assertThat(open().state()).isEqualTo(State.OPEN);
    assertThat(open().reason()).isEqualTo("10 of the last 10 steps failed");
    assertThat(open().limited(null)).isZero();
  }

  @Test
  void aRuleSaysHowManyFailuresOpenItAndWhatShareOfTheLastSteps() {
    BreakerRule three = new BreakerRule(3, 0, false);
    assertThat(look(three, fresh(), 0, 2, Outcome.FAILED).state()).isEqualTo(State.CLOSED);
    assertThat(look(three, fresh(), 0, 3, Outcome.FAILED).state()).isEqualTo(State.OPEN);
    assertThat(look(three, fresh(), 2, 3, Outcome.FAILED).state()).isEqualTo(State.CLOSED);
    BreakerRule half = new BreakerRule(3, 0.5, false);
    assertThat(look(half, fresh(), 2, 3, Outcome.FAILED).state()).isEqualTo(State.OPEN);
    assertThat(look(half, fresh(), 4, 3, Outcome.FAILED).state()).isEqualTo(State.CLOSED);
  }

  @Test
  void failuresAmongSuccessesDoNot() {
    TemplateBreaker breaker = fresh();
    for (int i = 1; i <= 50; i++) {
      breaker = look(breaker, i, i * 8, Outcome.FAILED);
      assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }
  }

  @Test
  void whatSucceededBeforeTheLastStepsDoesNotCount() {
    TemplateBreaker breaker = look(fresh(), 100_000, 1, Outcome.FAILED);
    breaker = look(breaker, 100_000, 10, Outcome.FAILED);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    breaker = look(breaker, 100_000, 21, Outcome.FAILED);
    assertThat(breaker.state()).isEqualTo(State.OPEN);
  }

  @Test
  void onlyFailuresOfTheProgramCount() {
    for (Outcome other :
        List.of(Outcome.LOST, Outcome.STOPPED, Outcome.MEMORY_EXCEEDED, Outcome.TIMED_OUT)) {
      assertThat(look(fresh(), 0, 30, other).state()).isEqualTo(State.CLOSED);
    }
    for (Outcome own : List.of(Outcome.FAILED, Outcome.SIGNALLED, Outcome.START_FAILED)) {
      assertThat(look(fresh(), 0, 30, own).state()).isEqualTo(State.OPEN);
    }
  }

  @Test
  void evidenceThatIsGoneOpensNothing() {
    TemplateBreaker looked = fresh().looked(0, 30, RULE);
    assertThat(looked.judged(List.of(), RULE, NOW).state()).isEqualTo(State.CLOSED);
    assertThat(
            looked
                .judged(Collections.nCopies(30, new StepFailure(null, null, null)), RULE, NOW)
                .state())
        .isEqualTo(State.CLOSED);
  }

  @Test
  void offNeverOpensAndClosesWhatIsOpen() {
    BreakerRule off = BreakerRule.of("off");
    assertThat(fresh().looked(0, 1000, off).evidence(off)).isZero();
    assertThat(open().judged(List.of(), off, NOW).state()).isEqualTo(State.CLOSED);
  }

  @Test
  void someStepsAreTriedAndOneSuccessCloses() {
    TemplateBreaker probing = open().probing(0, 10, NOW);
    assertThat(probing.state()).isEqualTo(State.PROBING);
    assertThat(probing.limited(null)).isEqualTo(TemplateBreaker.PROBES);
    assertThat(probing.limited(1)).isEqualTo(1);
    assertThat(look(probing, 1, 12, Outcome.FAILED).state()).isEqualTo(State.CLOSED);
    assertThat(look(probing, 0, 12, Outcome.FAILED).state()).isEqualTo(State.PROBING);
    assertThat(look(probing, 0, 13, Outcome.LOST).state()).isEqualTo(State.PROBING);
    assertThat(look(probing, 0, 13, Outcome.FAILED).state()).isEqualTo(State.OPEN);
  }

  @Test
  void whatBeganBeforeStepsAreTriedDoesNotCountAmongThem() {
    TemplateBreaker looked = open().probing(0, 10, NOW).looked(0, 16, RULE);
    StepFailure before = new StepFailure(Outcome.FAILED, "e1", NOW.minusMillis(1));
    StepFailure tried = new StepFailure(Outcome.FAILED, "e1", NOW);
    List<StepFailure> two = List.of(tried, tried, before, before, before, before);
    assertThat(looked.evidence(RULE)).isEqualTo(two.size());
    assertThat(looked.judged(two, RULE, NOW).state()).isEqualTo(State.PROBING);
    List<StepFailure> three = List.of(tried, tried, tried, before, before, before);
    assertThat(looked.judged(three, RULE, NOW).state()).isEqualTo(State.OPEN);
    assertThat(looked.judged(three, RULE, NOW).reason()).isEqualTo("3 of the last 3 steps failed");
  }

  @Test
  void stepsThatAreTriedAgainAreNoSuccesses() {
    TemplateBreaker breaker = TemplateBreaker.from(8, 5, 40, NOW);
    breaker = look(breaker, 5, 12, Outcome.FAILED);
    assertThat(breaker.state()).isEqualTo(State.CLOSED);
    assertThat(breaker.recent()).isEmpty();
    assertThat(look(breaker, 5, 22, Outcome.FAILED).state()).isEqualTo(State.OPEN);
  }

  @Property
  void itOpensOnlyAfterEnoughFailuresAndKeepsABoundedMemory(
      @ForAll @Size(max = 200) List<@IntRange(min = 0, max = 3) Integer> kinds) {
    TemplateBreaker breaker = fresh();
    int succeeded = 0;
    int failed = 0;
    for (int kind : kinds) {
      succeeded += kind == 0 ? 1 : 0;
      failed += kind == 0 ? 0 : kind;
      breaker = look(breaker, succeeded, failed, Outcome.FAILED);
      assertThat(breaker.recent().size()).isLessThanOrEqualTo(50);
      if (breaker.state() == State.OPEN) {
        assertThat(failed).isGreaterThanOrEqualTo(RULE.failures());
        return;
      }
    }
  }
}
