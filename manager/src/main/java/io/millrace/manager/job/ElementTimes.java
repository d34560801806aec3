package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.ElementTimeDao.RowTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jdbi.v3.core.Handle;

/**
 * When the elements of arrays ran, and for how long, whether they are rows or not. Thread-safe;
 * every method blocks on the database.
 */
public final class ElementTimes {
  private static final int ARRAYS = 500;
  private static final int BLOCKS = 64;
  private static final int ROWS = 1000;
  private static final int SAMPLE = 100;
  private static final List<JobState> STARTED =
      List.of(JobState.RUNNING, JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED);

  private final ElementTimeDao times = new ElementTimeDao();
  private final ElementBlockDao blocks = new ElementBlockDao();
  private final ArrayDao arrays = new ArrayDao();

  /** How many elements ran for how long together. */
  public record RunSum(long elements, long runMillis) {
    /** The run times of two arrays. */
    public RunSum plus(RunSum other) {
      return new RunSum(elements + other.elements, runMillis + other.runMillis);
    }
  }

  /**
   * When an element ran, in milliseconds since 1970.
   *
   * @param index in its array
   * @param startedAt 0 if it never started
   * @param endedAt 0 if it has not ended
   * @param runMillis how long its last attempt ran, as measured by its node; 0 while it runs
   */
  public record ElementTime(long index, long startedAt, long endedAt, long runMillis) {}

  /** What the elements of arrays that succeeded at their first try ran together. */
  public Map<Long, RunSum> sums(Handle handle, Collection<Long> ids) {
    List<Long> all = new ArrayList<>(ids);
    Map<Long, RunSum> sums = new HashMap<>();
    for (int from = 0; from < all.size(); from += ARRAYS) {
      sums.putAll(times.sums(handle, all.subList(from, Math.min(all.size(), from + ARRAYS))));
    }
    return sums;
  }

  /** The mean run time of some elements that succeeded later than at their first try. */
  public OptionalLong sampleMean(Handle handle, long array) {
    return sampleMean(handle, array, JobState.SUCCEEDED);
  }

  /** The mean run time of some elements in that state that have rows of their own. */
  public OptionalLong sampleMean(Handle handle, long array, JobState state) {
    var mean =
        times.rows(handle, array, state, 0, SAMPLE).stream()
            .mapToLong(row -> row.time().runMillis())
            .average();
    return mean.isPresent()
        ? OptionalLong.of(Math.round(mean.getAsDouble()))
        : OptionalLong.empty();
  }

  /** Passes on all elements of an array that have started, a page at a time. */
  public void read(Handle handle, long array, Consumer<ElementTime> reader) {
    // Rows first: an element that ends in between is passed on twice, never missed.
    for (JobState state : STARTED) {
      readRows(handle, array, state, reader);
    }
    ArrayRow row = arrays.read(handle, List.of(array)).get(array);
    if (row == null) {
      return;
    }
    int next = 0;
    Map<Integer, ElementBlock> page;
    do {
      page = times.blocks(handle, array, next, BLOCKS);
      for (Map.Entry<Integer, ElementBlock> block : page.entrySet()) {
        pass(row, block.getKey(), block.getValue(), reader);
        next = block.getKey() + 1;
      }
    } while (page.size() == BLOCKS);
  }

  /**
   * Passes on some elements of an array that have started: of the ended ones that are not rows
   * those of one in so many blocks, and of the rows at most {@link #ROWS} in each state.
   *
   * @param first the lowest index of interest
   * @param last the highest one
   * @param oneIn which blocks; 1 for all
   * @param reader takes an element, and for how many it stands
   */
  public void sample(
      Handle handle,
      long array,
      long first,
      long last,
      int oneIn,
      ObjIntConsumer<ElementTime> reader) {
    for (JobState state : STARTED) {
      for (RowTime one : times.rows(handle, array, state, 0, ROWS)) {
        if (one.time().startedAt() > 0) {
          reader.accept(one.time(), 1);
        }
      }
    }
    ArrayRow row = arrays.read(handle, List.of(array)).get(array);
    if (row == null) {
      return;
    }
    int begin = ElementBlock.number(row.ordinal(first));
    int end = ElementBlock.number(row.ordinal(last));
    List<Integer> numbers = new ArrayList<>();
    for (int number = begin; number <= end; number += oneIn) {
      numbers.add(number);
      if (numbers.size() == BLOCKS || number + oneIn > end) {
        blocks
            .blocks(handle, array, numbers)
            .forEach(
                (found, block) ->
                    pass(row, found, block, element -> reader.accept(element, oneIn)));
        numbers.clear();
      }
    }
  }

  private void readRows(Handle handle, long array, JobState state, Consumer<ElementTime> reader) {
    long after = 0;
    List<RowTime> page;
    do {
      page = times.rows(handle, array, state, after, ROWS);
      for (RowTime one : page) {
        if (one.time().startedAt() > 0) {
          reader.accept(one.time());
        }
        after = one.id();
      }
    } while (page.size() == ROWS);
  }

  private static void pass(
      ArrayRow row, int number, ElementBlock block, Consumer<ElementTime> reader) {
    block
        .elements()
        .forEach(
            (position, element) -> {
              long ordinal = (long) number * ElementBlock.SIZE + position;
              reader.accept(
                  new ElementTime(
                      row.range().first() + ordinal * row.range().step(),
                      element.startedAt().toEpochMilli(),
                      element.endedAt().toEpochMilli(),
                      element.runMillis()));
            });
  }
}
