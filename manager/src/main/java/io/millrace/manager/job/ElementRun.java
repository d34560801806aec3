package io.millrace.manager.job;

import io.millrace.api.job.ArrayRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Consecutive job ids that elements of an array got. Pure.
 *
 * @param firstId the id of the first element
 * @param array the array
 * @param elements how many elements, and ids
 * @param firstIndex the index of the first element
 * @param listed the indexes of all elements, in the order of their ids; empty if each is the one
 *     before plus the step width of the array
 */
record ElementRun(long firstId, long array, int elements, long firstIndex, List<Long> listed) {
  /** Most indexes in a list, so that it fits its column whatever they are. */
  static final int MAX_LISTED = 800;

  /** Most elements of one row, so that none becomes the only one of a large array. */
  static final int MAX_ELEMENTS = 1_000_000;

  ElementRun {
    listed = List.copyOf(listed);
  }

  /**
   * The runs of elements that were created together.
   *
   * @param ids of the elements, rising, but not necessarily without gaps
   * @param indexes of the elements, in the order of the ids
   */
  static List<ElementRun> of(long array, List<Long> ids, List<Long> indexes, long step) {
    List<ElementRun> runs = new ArrayList<>();
    int from = 0;
    while (from < ids.size()) {
      int regular = end(ids, indexes, from, step);
      int any = end(ids, indexes, from, 0);
      // A list for what is regular only in part, unless the regular part pays for its own row.
      boolean list = regular < any && regular - from < MAX_LISTED / 2;
      int to = list ? Math.min(any, from + MAX_LISTED) : regular;
      runs.add(
          new ElementRun(
              ids.get(from),
              array,
              to - from,
              indexes.get(from),
              list ? indexes.subList(from, to) : List.of()));
      from = to;
    }
    return runs;
  }

  /** The end of the consecutive ids; with a step, of those whose indexes follow it. */
  private static int end(List<Long> ids, List<Long> indexes, int from, long step) {
    int to = from + 1;
    while (to < ids.size()
        && to - from < MAX_ELEMENTS
        && ids.get(to) == ids.get(to - 1) + 1
        && (step == 0 || indexes.get(to) == indexes.get(to - 1) + step)) {
      to++;
    }
    return to;
  }

  /** This run and the one after it as one, if they are. */
  Optional<ElementRun> with(ElementRun next, long step) {
    boolean continues =
        array == next.array
            && listed.isEmpty()
            && next.listed.isEmpty()
            && firstId + elements == next.firstId
            && firstIndex + elements * step == next.firstIndex
            && elements + next.elements <= MAX_ELEMENTS;
    return continues
        ? Optional.of(
            new ElementRun(firstId, array, elements + next.elements, firstIndex, List.of()))
        : Optional.empty();
  }

  /** The highest id. */
  long lastId() {
    return firstId + elements - 1;
  }

  boolean contains(long id) {
    return id >= firstId && id <= lastId();
  }

  /** The index of the element with that id, which is one of this run. */
  long index(long id, ArrayRange range) {
    int place = Math.toIntExact(id - firstId);
    return listed.isEmpty() ? firstIndex + place * range.step() : listed.get(place);
  }

  /** The id of the element with that index; empty if it is not one of this run. */
  OptionalLong id(long index, ArrayRange range) {
    if (!listed.isEmpty()) {
      int place = listed.indexOf(index);
      return place < 0 ? OptionalLong.empty() : OptionalLong.of(firstId + place);
    }
    long beyond = index - firstIndex;
    boolean within = beyond >= 0 && beyond % range.step() == 0 && beyond / range.step() < elements;
    return within ? OptionalLong.of(firstId + beyond / range.step()) : OptionalLong.empty();
  }

  /** The list as it is stored; null for none. */
  byte[] encoded() {
    if (listed.isEmpty()) {
      return null;
    }
    Varints.Writer writer = new Varints.Writer();
    long before = firstIndex;
    for (long index : listed) {
      writer.signed(index - before);
      before = index;
    }
    return writer.bytes();
  }

  /** Reads a stored list; null for none. */
  static List<Long> decoded(long firstIndex, byte[] indexes) {
    if (indexes == null) {
      return List.of();
    }
    List<Long> listed = new ArrayList<>();
    Varints.Reader reader = new Varints.Reader(indexes);
    long index = firstIndex;
    while (reader.hasMore()) {
      index += reader.signed();
      listed.add(index);
    }
    return listed;
  }
}
