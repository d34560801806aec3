package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** Every id that an element got leads to its index, whatever ids and indexes are given together. */
class ElementRunTest {
  private static final int COLUMN = 8_000;

  @Property(tries = 300)
  void everyIdLeadsToItsIndex(
      @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 1, max = 3) Integer> gaps,
      @ForAll @Size(min = 60, max = 60) List<@LongRange(min = 0, max = 9) Long> choices,
      @ForAll @LongRange(min = 1, max = 5) long step) {
    ArrayRange range = new ArrayRange(4, 4 + 100_000 * step, step, 0);
    List<Long> ids = new ArrayList<>();
    List<Long> indexes = new ArrayList<>();
    long id = 100;
    long index = range.first();
    for (int i = 0; i < gaps.size(); i++) {
      // Mostly the next id and the next index.
      id += gaps.get(i) == 3 ? 5 : 1;
      index += step * (choices.get(i) < 8 ? 1 : 1 + choices.get(i));
      ids.add(id);
      indexes.add(index);
    }
    assertThat(read(ElementRun.of(17, ids, indexes, step), range)).isEqualTo(pairs(ids, indexes));
  }

  @Property(tries = 100)
  void elementsInAnyOrderShareAFewRows(
      @ForAll @Size(min = 1, max = 2000) List<@LongRange(min = 0, max = 9_999_999) Long> indexes) {
    ArrayRange range = new ArrayRange(0, 9_999_999, 1, 0);
    List<Long> ids = LongStream.range(0, indexes.size()).mapToObj(i -> 50 + i).toList();
    List<ElementRun> runs = ElementRun.of(17, ids, indexes, 1);
    assertThat(read(runs, range)).isEqualTo(pairs(ids, indexes));
    assertThat(runs).allMatch(run -> run.encoded() == null || run.encoded().length <= COLUMN);
    assertThat(runs).hasSizeLessThanOrEqualTo(1 + indexes.size() / 100);
  }

  private static Map<Long, Long> pairs(List<Long> ids, List<Long> indexes) {
    Map<Long, Long> pairs = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      pairs.put(ids.get(i), indexes.get(i));
    }
    return pairs;
  }

  /** As it is read from the table. */
  private static Map<Long, Long> read(List<ElementRun> runs, ArrayRange range) {
    Map<Long, Long> found = new HashMap<>();
    for (ElementRun run : runs) {
      ElementRun stored =
          new ElementRun(
              run.firstId(),
              run.array(),
              run.elements(),
              run.firstIndex(),
              ElementRun.decoded(run.firstIndex(), run.encoded()));
      assertThat(stored).isEqualTo(run);
      for (long id = run.firstId(); id <= run.lastId(); id++) {
        assertThat(found.put(id, stored.index(id, range))).isNull();
      }
    }
    return found;
  }

  @Example
  void anArrayThatExpandsAloneHasOneRun() {
    ElementRun first = ElementRun.of(17, List.of(18L, 19L), List.of(0L, 10L), 10).get(0);
    ElementRun next = ElementRun.of(17, List.of(20L, 21L), List.of(20L, 30L), 10).get(0);
    assertThat(first.with(next, 10)).contains(new ElementRun(18, 17, 4, 0, List.of()));
    assertThat(next.with(first, 10)).isEmpty();
    assertThat(first.with(new ElementRun(20, 17, 2, 40, List.of()), 10)).isEmpty();
    assertThat(first.with(new ElementRun(20, 16, 2, 20, List.of()), 10)).isEmpty();
  }
}
