package io.millrace.manager.job;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.ElementBlockDao.ElementNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Elements of arrays that succeeded at their first try and have no rows any more: what their rows
 * would say. Thread-safe; every method blocks on the database.
 *
 * <p>An element is either a row or here. Whoever reads both reads the rows first, because an
 * element may end in between.
 */
public final class EndedElements {
  private static final int PAGE = 100;

  private static final int FIRST_ATTEMPT = 1;

  private final ElementRunDao runs = new ElementRunDao();
  private final ElementBlockDao blocks = new ElementBlockDao();
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final JobDao jobs = new JobDao();

  /**
   * An element that was found.
   *
   * @param id its job id
   * @param array its array
   * @param index its index there
   * @param node where it ran
   * @param facts what is kept of it
   */
  record FoundElement(long id, ArrayRow array, long index, ElementNode node, EndedElement facts) {
    /** As it would be listed; of the array's own job, what it has in common with its elements. */
    JobView view(JobView own) {
      return new JobView(
          id,
          own.name(),
          own.kind(),
          JobState.SUCCEEDED,
          own.queue(),
          own.segmentNode(),
          own.owner(),
          own.priority(),
          own.pool(),
          FIRST_ATTEMPT,
          node.name(),
          Outcome.SUCCEEDED,
          0,
          null,
          null,
          facts.submittedAt(),
          null,
          facts.startedAt(),
          facts.endedAt(),
          own.share(),
          null,
          own.tags(),
          own.deadline(),
          array.job(),
          index,
          null,
          null);
    }

    private AttemptView attempt() {
      return new AttemptView(
          FIRST_ATTEMPT,
          node.name(),
          JobState.SUCCEEDED,
          facts.placedAt(),
          facts.startedAt(),
          facts.endedAt(),
          Outcome.SUCCEEDED,
          0,
          null,
          SUCCEEDED,
          null,
          "first",
          facts.usage());
    }

    private JobEvent end() {
      return new JobEvent(facts.endedAt(), JobState.SUCCEEDED, FIRST_ATTEMPT, SUCCEEDED);
    }

    private static final String SUCCEEDED = "succeeded";
  }

  /** Those of the jobs that are ended elements, by id. */
  Map<Long, FoundElement> find(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    Map<Long, ElementRun> known = runs.of(handle, ids);
    Map<Long, ArrayRow> rows =
        arrays.read(handle, known.values().stream().map(ElementRun::array).collect(toSet()));
    Map<Long, Map<Long, Long>> indexes = new TreeMap<>();
    known.forEach(
        (id, run) -> {
          ArrayRow row = rows.get(run.array());
          if (row != null) {
            indexes
                .computeIfAbsent(row.job(), array -> new TreeMap<>())
                .put(id, run.index(id, row.range()));
          }
        });
    Map<Long, FoundElement> found = new HashMap<>();
    indexes.forEach((array, some) -> found.putAll(find(handle, rows.get(array), some)));
    return found;
  }

  /**
   * Those elements of an array that have ended, by id.
   *
   * @param indexes by id; the blocks of all of them are read at once
   */
  Map<Long, FoundElement> find(Handle handle, ArrayRow array, Map<Long, Long> indexes) {
    Map<Integer, ElementBlock> read =
        blocks.blocks(
            handle,
            array.job(),
            indexes.values().stream()
                .map(index -> ElementBlock.number(array.ordinal(index)))
                .collect(toSet()));
    Map<Long, EndedElement> facts = new HashMap<>();
    indexes.forEach(
        (id, index) -> {
          long ordinal = array.ordinal(index);
          ElementBlock block = read.get(ElementBlock.number(ordinal));
          EndedElement one =
              block == null ? null : block.elements().get(ElementBlock.position(ordinal));
          if (one != null) {
            facts.put(id, one);
          }
        });
    Map<Integer, ElementNode> nodes =
        blocks.nodes(
            handle, array.job(), facts.values().stream().map(EndedElement::node).collect(toSet()));
    Map<Long, FoundElement> found = new HashMap<>();
    facts.forEach(
        (id, one) ->
            found.put(
                id, new FoundElement(id, array, indexes.get(id), nodes.get(one.node()), one)));
    return found;
  }

  /** Those of the jobs that are ended elements as in lists, highest ids first. */
  List<JobView> views(Handle handle, Collection<Long> ids) {
    Collection<FoundElement> found = find(handle, ids).values();
    Map<Long, JobView> own =
        arrayJobs.views(handle, found.stream().map(one -> one.array().job()).collect(toSet()));
    return found.stream()
        .filter(one -> own.containsKey(one.array().job()))
        .map(one -> one.view(own.get(one.array().job())))
        .sorted(Comparator.comparingLong(JobView::id).reversed())
        .toList();
  }

  /**
   * The id that the element with that index got, whether or not it has ended; empty if it has none.
   */
  public OptionalLong id(Handle handle, long array, long index) {
    ArrayRow row = arrays.read(handle, List.of(array)).get(array);
    long before = Long.MAX_VALUE;
    List<ElementRun> page = List.of();
    do {
      page = row == null ? List.of() : runs.newest(handle, array, before, PAGE);
      for (ElementRun run : page) {
        OptionalLong id = run.id(index, row.range());
        if (id.isPresent()) {
          return id;
        }
        before = run.firstId();
      }
    } while (page.size() == PAGE);
    return OptionalLong.empty();
  }

  /** Everything about an ended element. */
  public Optional<JobDetails> details(Handle handle, long id) {
    return details(handle, id, ReleasedElements.NONE);
  }

  /**
   * Everything about an ended element.
   *
   * @param released gives the specifications of elements that are released one by one
   */
  public Optional<JobDetails> details(Handle handle, long id, ReleasedElements released) {
    FoundElement found = find(handle, List.of(id)).get(id);
    if (found == null) {
      return Optional.empty();
    }
    long array = found.array().job();
    JobView own = arrayJobs.views(handle, List.of(array)).get(array);
    JobSpec spec = jobs.specs(handle, List.of(array)).get(array);
    if (own == null || spec == null) {
      return Optional.empty();
    }
    JobView view = found.view(own);
    List<AttemptView> attempts = List.of(found.attempt());
    return Optional.of(
        new JobDetails(
            view,
            spec(handle, ElementSpecs.common(spec, own.priority()), found, released),
            attempts,
            ElementHistory.of(view, attempts, List.of(found.end())),
            null,
            null,
            released.workflow(handle, array).orElse(null)));
  }

  private static JobSpec spec(
      Handle handle, JobSpec common, FoundElement found, ReleasedElements released) {
    JobSpec own = released.spec(handle, found.array().job(), common, found.index()).orElse(common);
    return ElementSpecs.element(own, found.array(), found.index()).spec();
  }

  /** The node on which an ended element ran that attempt. */
  Optional<UUID> node(Handle handle, AttemptId attempt) {
    return attempt.number() == FIRST_ATTEMPT
        ? Optional.ofNullable(find(handle, List.of(attempt.job())).get(attempt.job()))
            .map(one -> one.node().id())
        : Optional.empty();
  }

  /**
   * The ends that the same node has already reported with the same result: the answer was lost, so
   * it repeats them.
   */
  Set<AttemptId> alreadyReported(Handle handle, UUID node, Collection<AttemptReport> ends) {
    List<AttemptReport> same =
        ends.stream()
            .filter(end -> end.attempt().number() == FIRST_ATTEMPT)
            .filter(end -> end.result().outcome() == Outcome.SUCCEEDED)
            .filter(end -> Integer.valueOf(0).equals(end.result().exitCode()))
            .toList();
    Map<Long, FoundElement> found =
        find(handle, same.stream().map(end -> end.attempt().job()).toList());
    Set<AttemptId> known = new HashSet<>();
    for (AttemptReport end : same) {
      FoundElement one = found.get(end.attempt().job());
      if (one != null && one.node().id().equals(node)) {
        known.add(end.attempt());
      }
    }
    return known;
  }

  /** Those of the jobs that are ended elements, as their rows would read under lock. */
  List<JobFacts> facts(Handle handle, Collection<Long> ids) {
    Collection<FoundElement> found = find(handle, ids).values();
    Map<Long, JobFacts> own =
        jobs.read(handle, found.stream().map(one -> one.array().job()).collect(toSet())).stream()
            .collect(toMap(JobFacts::id, array -> array));
    List<JobFacts> facts = new ArrayList<>(found.size());
    for (FoundElement one : found) {
      JobFacts array = own.get(one.array().job());
      if (array != null) {
        facts.add(facts(one, array));
      }
    }
    facts.sort(Comparator.comparingLong(JobFacts::id));
    return facts;
  }

  private static JobFacts facts(FoundElement one, JobFacts array) {
    return new JobFacts(
        one.id(),
        array.kind(),
        JobState.SUCCEEDED,
        array.priority(),
        array.pool(),
        array.slots(),
        array.cpuMillis(),
        array.memoryBytes(),
        array.shapeId(),
        array.share(),
        array.definition(),
        array.queue(),
        array.segmentNode(),
        array.near(),
        null,
        false,
        array.retry(),
        false,
        0,
        null,
        array.deadline(),
        null,
        false,
        array.id(),
        one.index(),
        false,
        FIRST_ATTEMPT,
        one.node().id().toString(),
        one.node().name(),
        0,
        0,
        0,
        null,
        "first",
        one.facts().submittedAt(),
        one.facts().placedAt(),
        one.facts().startedAt());
  }
}
