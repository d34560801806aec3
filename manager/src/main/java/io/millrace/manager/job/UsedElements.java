package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * What single elements of arrays used that succeeded, whether they are rows or not: some of them,
 * so that the effort does not depend on how many there are. Thread-safe; blocks on the database.
 */
public final class UsedElements {
  private static final int BLOCKS = 8;

  private final ElementUsageDao usages = new ElementUsageDao();
  private final ElementBlockDao blocks = new ElementBlockDao();
  private final ArrayDao arrays = new ArrayDao();

  /**
   * What an element used.
   *
   * @param index in its array
   * @param askedBytes memory that it asked for; null if it has no row and asked for what its array
   *     asks for
   */
  public record UsedElement(
      long index, Long askedBytes, long memoryBytes, long cpuMillis, long runMillis) {}

  /**
   * At most so many elements of an array, by rising index: half of them such that have rows, the
   * others from blocks spread evenly.
   *
   * @param first the lowest index of interest
   * @param last the highest one
   */
  public List<UsedElement> sample(Handle handle, long array, long first, long last, int most) {
    // Rows first: an element that ends in between is found twice, never missed.
    List<UsedElement> found =
        new ArrayList<>(usages.elements(handle, array, JobState.SUCCEEDED, Math.max(1, most / 2)));
    ArrayRow row = arrays.read(handle, List.of(array)).get(array);
    if (row != null) {
      found.addAll(thinned(ended(handle, row, first, last), most - found.size()));
    }
    found.sort(Comparator.comparingLong(UsedElement::index));
    return found;
  }

  private List<UsedElement> ended(Handle handle, ArrayRow row, long first, long last) {
    int begin = ElementBlock.number(row.ordinal(first));
    int count = ElementBlock.number(row.ordinal(last)) - begin + 1;
    List<Integer> numbers =
        IntStream.range(0, Math.min(BLOCKS, count))
            .map(i -> begin + (int) ((long) i * count / Math.min(BLOCKS, count)))
            .boxed()
            .toList();
    List<UsedElement> all = new ArrayList<>();
    blocks
        .blocks(handle, row.job(), numbers)
        .forEach(
            (number, block) ->
                block
                    .elements()
                    .forEach(
                        (position, element) -> {
                          long ordinal = (long) number * ElementBlock.SIZE + position;
                          all.add(
                              used(row.range().first() + ordinal * row.range().step(), element));
                        }));
    all.removeIf(Objects::isNull);
    return all;
  }

  private static UsedElement used(long index, EndedElement element) {
    return element.usage() == null || element.usage().memoryBytes() == 0
        ? null
        : new UsedElement(
            index,
            null,
            element.usage().memoryBytes(),
            element.usage().cpuMillis(),
            element.runMillis());
  }

  private static List<UsedElement> thinned(List<UsedElement> all, int most) {
    int kept = Math.min(all.size(), Math.max(0, most));
    return IntStream.range(0, kept)
        .mapToObj(i -> all.get((int) ((long) i * all.size() / kept)))
        .toList();
  }
}
