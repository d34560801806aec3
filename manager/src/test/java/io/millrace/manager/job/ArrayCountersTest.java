package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever happens to an array and its elements, in whatever order, its figures stay true. */
class ArrayCountersTest {
  /** What may happen; each picks its element by a number. */
  private enum Move {
    PLACE,
    START,
    SUCCEED,
    FAIL,
    LOSE,
    TEND,
    HOLD,
    RELEASE,
    CANCEL,
    RETRY,
    HOLD_ARRAY,
    RELEASE_ARRAY,
    CANCEL_ARRAY,
    RETRY_ARRAY
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void figuresAreAlwaysThoseOfARecount(
      @ForAll @IntRange(min = 1, max = 40) int size,
      @ForAll @IntRange(max = 6) int limit,
      @ForAll @Size(min = 10, max = 40) List<@IntRange(max = 9999) Integer> moves) {
    try (ArrayBench bench = new ArrayBench(3)) {
      long array = bench.submit("1-" + size + (limit == 0 ? "" : "%" + limit));
      for (int move : moves) {
        Move next = Move.values()[move % Move.values().length];
        make(bench, array, next, move / Move.values().length);
        bench.recount(array);
        assertThat(open(bench, array)).isLessThanOrEqualTo(limit == 0 ? size : limit);
      }
      assertThat(settled(bench, array)).isTrue();
    }
  }

  private static void make(ArrayBench bench, long array, Move move, int pick) {
    switch (move) {
      case PLACE -> bench.jobs.place();
      case START -> bench.startPlaced(array);
      case SUCCEED -> end(bench, array, pick, Outcome.SUCCEEDED);
      case FAIL -> end(bench, array, pick, Outcome.FAILED);
      case LOSE -> end(bench, array, pick, Outcome.LOST);
      case TEND -> bench.tend();
      case HOLD -> act(bench, Verb.HOLD, element(bench, array, pick));
      case RELEASE -> act(bench, Verb.RELEASE, element(bench, array, pick));
      case CANCEL -> act(bench, Verb.CANCEL, element(bench, array, pick));
      case RETRY -> act(bench, Verb.RETRY, element(bench, array, pick));
      case HOLD_ARRAY -> act(bench, Verb.HOLD, array);
      case RELEASE_ARRAY -> act(bench, Verb.RELEASE, array);
      case CANCEL_ARRAY -> act(bench, Verb.CANCEL, array);
      case RETRY_ARRAY -> act(bench, Verb.RETRY, array);
    }
  }

  // Whatever is held is released, and all that runs ends: then the array has ended as well.
  private static boolean settled(ArrayBench bench, long array) {
    for (int round = 0; round < 200; round++) {
      act(bench, Verb.RELEASE, array);
      bench.elements(array, JobState.HELD).forEach(one -> act(bench, Verb.RELEASE, one.id()));
      bench.tend();
      bench.jobs.place();
      bench.endLive(array, Outcome.SUCCEEDED);
      bench.tend();
      bench.recount(array);
      JobView view = bench.view(array);
      if (view.state().ended() && view.progress().waiting() + view.progress().running() == 0) {
        return bench.tend() == 0;
      }
    }
    return false;
  }

  private static Long element(ArrayBench bench, long array, int pick) {
    List<JobView> all = bench.elements(array);
    return all.isEmpty() ? null : all.get(pick % all.size()).id();
  }

  private static void end(ArrayBench bench, long array, int pick, Outcome outcome) {
    List<JobView> live =
        bench.elements(array).stream().filter(element -> element.state().live()).toList();
    if (!live.isEmpty()) {
      bench.end(live.get(pick % live.size()), outcome);
    }
  }

  private static void act(ArrayBench bench, Verb verb, Long job) {
    if (job == null) {
      return;
    }
    try {
      bench.act(verb, job);
    } catch (MillraceException refused) {
      // Not everything fits every state; what was refused must have changed nothing.
      assertThat(refused.getMessage()).contains("job " + job);
    }
  }

  private static long open(ArrayBench bench, long array) {
    return bench.elements(array).stream()
        .filter(element -> element.state().live() || element.state() == JobState.WAITING)
        .count();
  }
}
