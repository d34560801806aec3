package io.millrace.manager.job;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.manager.job.ElementBlockDao.ElementNode;
import io.millrace.manager.job.ProgressDao.Ended;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/**
 * Keeps elements of arrays that succeed at their first try as a bit and some facts instead of their
 * rows, in the transaction that ends them. Thread-safe.
 *
 * <p>Whatever tells more than these facts stays a row: an element that was retried, lost,
 * cancelled, held or changed otherwise, which its history shows; one that did nothing or has
 * something to say.
 */
final class ElementCompaction {
  // Far more than anything real, and sums of a thousand of them do not overflow.
  private static final long MAX_NUMBER = 1L << 50;

  private static final int MAX_REMEMBERED = 10_000;

  private final Map<NodeOfArray, Integer> remembered = new ConcurrentHashMap<>();
  private final ElementBlockDao store = new ElementBlockDao();
  private final ArrayDao arrays = new ArrayDao();
  private final HistoryDao history = new HistoryDao();
  private final ProgressDao progress = new ProgressDao();

  /**
   * Ends of elements that will be compacted.
   *
   * @param ends the ends
   * @param numbers by node and array, of the nodes that the arrays know
   */
  record CompactedEnds(List<Ended> ends, Map<ElementNode, Map<Long, Integer>> numbers) {
    private static final CompactedEnds NONE = new CompactedEnds(List.of(), Map.of());

    /** The ids of the elements. */
    Set<Long> ids() {
      return ends.stream().map(end -> end.job().id()).collect(toSet());
    }
  }

  /** Those of the ends that leave nothing else to be kept. */
  CompactedEnds choose(Handle handle, List<Ended> all) {
    List<Ended> plain = all.stream().filter(ElementCompaction::isPlain).toList();
    if (plain.isEmpty()) {
      return CompactedEnds.NONE;
    }
    // Lines are written of an element only when something unusual happens.
    Set<Long> unusual = history.having(handle, plain.stream().map(end -> end.job().id()).toList());
    List<Ended> chosen = new ArrayList<>(plain.size());
    Map<ElementNode, Map<Long, Integer>> numbers = new HashMap<>();
    plain.stream()
        .filter(end -> !unusual.contains(end.job().id()))
        .collect(groupingBy(ElementCompaction::node))
        .forEach(
            (node, ends) -> {
              Set<Long> touched = ends.stream().map(end -> end.job().array()).collect(toSet());
              Map<Long, Integer> known = known(handle, touched, node);
              Set<Long> full = full(handle, touched, known.keySet());
              numbers.put(node, known);
              ends.stream().filter(end -> !full.contains(end.job().array())).forEach(chosen::add);
            });
    return new CompactedEnds(chosen, numbers);
  }

  /** The numbers of a node in the arrays; they never change. */
  private Map<Long, Integer> known(Handle handle, Set<Long> touched, ElementNode node) {
    Map<Long, Integer> known = new HashMap<>();
    Set<Long> left = new HashSet<>();
    for (Long array : touched) {
      Integer number = remembered.get(new NodeOfArray(array, node));
      if (number == null) {
        left.add(array);
      } else {
        known.put(array, number);
      }
    }
    if (!left.isEmpty()) {
      Map<Long, Integer> read = store.numbers(handle, left, node);
      known.putAll(read);
      // Only after the commit, because this transaction may have given them out itself.
      handle.afterCommit(() -> remember(read, node));
    }
    return known;
  }

  private void remember(Map<Long, Integer> numbers, ElementNode node) {
    if (remembered.size() + numbers.size() > MAX_REMEMBERED) {
      remembered.clear();
    }
    numbers.forEach((array, number) -> remembered.put(new NodeOfArray(array, node), number));
  }

  private record NodeOfArray(long array, ElementNode node) {}

  /** The arrays that know too many nodes to get to know another one. */
  private Set<Long> full(Handle handle, Set<Long> arrayIds, Set<Long> known) {
    Set<Long> full = new HashSet<>(arrayIds);
    full.removeAll(known);
    full.removeIf(array -> store.nodes(handle, array) < ElementBlockDao.MAX_NODES);
    return full;
  }

  /** Whether an end has no more to tell than what is kept. Pure. */
  static boolean isPlain(Ended end) {
    JobFacts job = end.job();
    return job.array() != null
        && job.kind() == JobKind.SUBMITTED
        && end.next() == JobState.SUCCEEDED
        && end.decision().reason() == null
        && job.attempt() == 1
        && job.failedTries() + job.lostTries() + job.shortRuns() == 0
        && job.cancelReason() == null
        && !job.held()
        && job.placedAt() != null
        && end.attempt().startedAt() != null
        && isPlain(end.result());
  }

  private static boolean isPlain(AttemptResult result) {
    boolean silent = result.stderrTail() == null || result.stderrTail().isBlank();
    return result.outcome() == Outcome.SUCCEEDED
        && Integer.valueOf(0).equals(result.exitCode())
        && result.signal() == null
        && result.reason() == null
        && silent
        && result.events() == 0
        && result.event() == null
        && isPlausible(result.runMillis())
        && isPlausible(result.usage());
  }

  private static boolean isPlausible(Usage usage) {
    return usage == null
        || (isPlausible(usage.cpuMillis())
            && isPlausible(usage.memoryBytes())
            && isPlausible(usage.readBytes())
            && isPlausible(usage.writtenBytes()));
  }

  private static boolean isPlausible(long number) {
    return number >= 0 && number < MAX_NUMBER;
  }

  private static ElementNode node(Ended end) {
    return new ElementNode(UUID.fromString(end.job().nodeId()), end.job().nodeName());
  }

  /**
   * Writes bits, facts and sums, and deletes the rows; after everything that reads the rows, under
   * the locks of the elements.
   */
  void record(Handle handle, CompactedEnds compacted) {
    if (compacted.ends().isEmpty()) {
      return;
    }
    SortedMap<Long, List<Ended>> byArray = new TreeMap<>();
    for (Ended end : compacted.ends()) {
      byArray.computeIfAbsent(end.job().array(), array -> new ArrayList<>()).add(end);
    }
    Map<Long, ArrayRow> rows = arrays.lock(handle, byArray.keySet());
    byArray.forEach(
        (array, ends) -> {
          // An array that was deleted meanwhile has no elements any more.
          if (rows.containsKey(array)) {
            record(handle, rows.get(array), ends, compacted.numbers());
          }
        });
    progress.deleteEnded(
        handle,
        compacted.ends().stream().map(Ended::job).toList(),
        job -> rows.containsKey(job.array()));
  }

  private void record(
      Handle handle,
      ArrayRow array,
      List<Ended> ends,
      Map<ElementNode, Map<Long, Integer>> numbers) {
    Map<ElementNode, Integer> own = new HashMap<>();
    Map<Integer, Map<Integer, EndedElement>> further = new TreeMap<>();
    List<EndedElement> elements = new ArrayList<>(ends.size());
    for (Ended end : ends) {
      int number =
          own.computeIfAbsent(
              node(end),
              node -> {
                Integer known = numbers.get(node).get(array.job());
                return known != null ? known : introduce(handle, array.job(), node);
              });
      EndedElement element = EndedElement.of(end.attempt(), number);
      long ordinal = array.ordinal(end.job().index());
      further
          .computeIfAbsent(ElementBlock.number(ordinal), block -> new TreeMap<>())
          .put(ElementBlock.position(ordinal), element);
      elements.add(element);
    }
    write(handle, array.job(), further);
    store.addUsage(handle, array.job(), elements);
  }

  // Another transaction may have done the same before this one got the array's lock.
  private int introduce(Handle handle, long array, ElementNode node) {
    Integer known = store.numbers(handle, List.of(array), node).get(array);
    if (known != null) {
      return known;
    }
    int number = store.nodes(handle, array);
    store.insertNode(handle, array, number, node);
    return number;
  }

  private void write(Handle handle, long array, Map<Integer, Map<Integer, EndedElement>> further) {
    SortedMap<Integer, ElementBlock> known = store.blocks(handle, array, further.keySet());
    SortedMap<Integer, ElementBlock> created = new TreeMap<>();
    further.forEach(
        (number, elements) -> {
          if (known.computeIfPresent(number, (same, block) -> block.plus(elements)) == null) {
            created.put(number, ElementBlock.empty().plus(elements));
          }
        });
    store.update(handle, array, known);
    store.insert(handle, array, created);
  }
}
