package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayDao.ArrayTurn;
import io.millrace.manager.job.ArrayJobDao.Template;
import io.millrace.manager.job.ElementTexts.StoredLength;
import io.millrace.manager.job.ExpansionPolicy.Expandable;
import io.millrace.manager.job.ReleasedElements.ElementAllowance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/**
 * Creates the jobs of the next elements of arrays shortly before their turn. Thread-safe.
 *
 * <p>Apart from the elements' own retries, only this class lets elements wait for a slot, and
 * always under the claim of their pool's dispatch. What it counts as waiting or running can
 * therefore only have decreased meanwhile, so that an array's limit holds whatever nodes report at
 * the same time.
 */
public final class ArrayExpander {
  private static final int MAX_ARRAYS = 200;
  private static final int MAX_PAGES = 5;
  private static final Set<JobState> OPEN =
      Set.of(JobState.WAITING, JobState.PLACED, JobState.RUNNING);

  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final JobDao jobs = new JobDao();
  private final ArrayElements elements = new ArrayElements();
  private final ElementRunDao runs = new ElementRunDao();
  private final ElementSubmission submission;
  private final ReleasedElements releasedElements;
  // Only of pools that have more arrays than one look takes.
  private final Map<String, ArrayTurn> turns = new ConcurrentHashMap<>();

  public ArrayExpander(ElementSubmission submission, ReleasedElements releasedElements) {
    this.submission = submission;
    this.releasedElements = releasedElements;
  }

  /** Pools with an array that has elements left, whether or not they may start now. */
  public List<String> pools(Handle handle) {
    return arrays.expandablePools(handle);
  }

  /**
   * Lets elements of the pool's arrays wait for a slot, in the caller's transaction, which holds
   * the claim of the pool's dispatch. Jobs should be placed in another transaction: this one locks
   * arrays, whose ids may be higher than those of jobs about to be placed.
   *
   * <p>One call looks at a bounded number of arrays, and the next one at those after them, so that
   * arrays of which nothing may start, however many, do not keep others from their turn.
   *
   * @param capacity jobs of the pool that could be placed soon, with a margin so that no slot is
   *     idle until the next call
   * @return how many elements now wait that did not before
   */
  public int expand(Handle handle, String pool, int capacity, Instant now) {
    ArrayTurn from = turns.getOrDefault(pool, ArrayTurn.FIRST);
    boolean all = from.equals(ArrayTurn.FIRST);
    for (int page = 0; page < MAX_PAGES; page++) {
      ArrayTurn before = from;
      List<ArrayTurn> found = arrays.expandable(handle, pool, now, from, MAX_ARRAYS);
      boolean last = found.size() < MAX_ARRAYS;
      from = last ? ArrayTurn.FIRST : found.get(found.size() - 1);
      turn(pool, from);
      List<Long> candidates = found.stream().map(ArrayTurn::array).toList();
      ExpandableArrays ready = ready(handle, candidates, capacity);
      if (!ready.touched().isEmpty()) {
        ExpansionResult result = expand(handle, ready, now);
        if (!last && !result.unserved().isEmpty()) {
          turn(pool, placeBefore(result.unserved(), found, before));
        }
        return result.expanded();
      }
      if (last && all) {
        return 0;
      }
      all |= last;
    }
    return 0;
  }

  /** The place before the first of these arrays, so that the next look begins with it. */
  private static ArrayTurn placeBefore(
      Set<Long> arrays, List<ArrayTurn> found, ArrayTurn beforeAll) {
    ArrayTurn place = beforeAll;
    for (ArrayTurn one : found) {
      if (arrays.contains(one.array())) {
        break;
      }
      place = one;
    }
    return place;
  }

  private void turn(String pool, ArrayTurn next) {
    if (next.equals(ArrayTurn.FIRST)) {
      turns.remove(pool);
    } else {
      turns.put(pool, next);
    }
  }

  /** Arrays of which elements may start, or that have none left, in the order of their turns. */
  private record ExpandableArrays(
      List<Long> touched,
      Map<Long, Integer> quotas,
      Set<Long> blocked,
      Map<Long, ElementAllowance> allowances) {}

  private ExpandableArrays ready(Handle handle, List<Long> candidates, int capacity) {
    Set<Long> blocked = arrayJobs.having(handle, candidates, Set.of(JobState.BLOCKED));
    Map<Long, ArrayRow> unlocked = arrays.read(handle, candidates);
    Map<Long, ElementAllowance> allowances = releasedElements.allowances(handle, candidates);
    Map<Long, Integer> quotas =
        ExpansionPolicy.quotas(
            expandables(handle, unlocked.values(), blocked, allowances), capacity);
    List<Long> touched =
        candidates.stream()
            .filter(
                id ->
                    quotas.containsKey(id)
                        || complete(unlocked.get(id), allowances.get(id), blocked))
            .toList();
    return new ExpandableArrays(touched, quotas, blocked, allowances);
  }

  /**
   * What an expansion did.
   *
   * @param expanded how many elements now wait that did not before
   * @param unserved arrays that got nothing, because the texts of the others were long; it stays
   *     their turn
   */
  private record ExpansionResult(int expanded, Set<Long> unserved) {}

  private ExpansionResult expand(Handle handle, ExpandableArrays ready, Instant now) {
    // Locked by rising id, and served in the order of their turns.
    List<JobFacts> locked =
        jobs.lock(handle, ready.touched()).stream()
            .filter(array -> mayExpand(array, now))
            .sorted(Comparator.comparingInt(array -> ready.touched().indexOf(array.id())))
            .toList();
    // An array's row changes only under the lock of its job; what was read before may be outdated.
    Map<Long, ArrayRow> rows = arrays.read(handle, locked.stream().map(JobFacts::id).toList());
    return expand(
        handle,
        new Expansion(locked, rows, ready.quotas(), ready.blocked(), ready.allowances()),
        now);
  }

  /** Locked arrays in the order of their turns, and how many elements of each may start. */
  private record Expansion(
      List<JobFacts> arrays,
      Map<Long, ArrayRow> rows,
      Map<Long, Integer> quotas,
      Set<Long> blocked,
      Map<Long, ElementAllowance> allowances) {
    /** Elements of an array that have no job and could get one. */
    long left(ArrayRow row) {
      ElementAllowance allowance = allowances.get(row.job());
      return allowance == null ? row.left() : Math.min(allowance.queued(), row.left());
    }

    boolean released(long array) {
      return allowances.containsKey(array);
    }
  }

  private ExpansionResult expand(Handle handle, Expansion expansion, Instant now) {
    Map<Long, Integer> released = release(handle, expansion, now);
    Map<Long, Template> templates = arrayJobs.templates(handle, expansion.quotas().keySet());
    List<ArrayRow> changed = new ArrayList<>();
    Set<Long> unserved = new HashSet<>();
    ElementTexts texts = new ElementTexts(expansion.quotas().size());
    int expanded = 0;
    for (JobFacts array : expansion.arrays()) {
      ArrayRow row = expansion.rows().get(array.id());
      int releasedNow = released.getOrDefault(array.id(), 0);
      int rest = expansion.quotas().getOrDefault(array.id(), 0) - releasedNow;
      int create = (int) Math.max(0, Math.min(rest, expansion.left(row)));
      int created = 0;
      long characters = create > 0 ? texts.next() : 0;
      if (create > 0 && characters == 0 && releasedNow == 0) {
        unserved.add(array.id());
        continue;
      }
      if (characters > 0) {
        Template template = templates.get(array.id());
        JobSpec common = ElementSpecs.common(template.spec(), array.priority());
        StoredLength lengths = StoredLength.of(common);
        List<NewJob> next =
            expansion.released(array.id())
                ? releasedElements(handle, common, row, create, characters)
                : nextElements(common, row, create, characters / lengths.element(common));
        texts.add(lengths, next);
        List<Long> ids = submission.submit(handle, template.owner(), next, now);
        runs.record(
            handle, array.id(), ids, next.stream().map(NewJob::index).toList(), row.range().step());
        created = next.size();
      }
      expanded += releasedNow + created;
      changed.add(
          row.advanced(created)
              .withExpandable(
                  expansion.left(row) > created || expansion.blocked().contains(array.id())));
    }
    arrays.expanded(handle, changed, now);
    return new ExpansionResult(expanded, unserved);
  }

  // The elements of all arrays in one call: rows of jobs are locked by rising id.
  private Map<Long, Integer> release(Handle handle, Expansion expansion, Instant now) {
    List<Long> ids = new ArrayList<>();
    for (JobFacts array : expansion.arrays()) {
      int quota = expansion.quotas().getOrDefault(array.id(), 0);
      if (quota > 0 && expansion.blocked().contains(array.id())) {
        ids.addAll(
            arrayJobs.inState(handle, array.id(), JobState.BLOCKED, 0, Long.MAX_VALUE, quota));
      }
    }
    Map<Long, Integer> released = new HashMap<>();
    for (JobFacts element : elements.release(handle, ids, now)) {
      released.merge(element.array(), 1, Integer::sum);
    }
    return released;
  }

  private List<Expandable> expandables(
      Handle handle,
      Collection<ArrayRow> rows,
      Set<Long> blocked,
      Map<Long, ElementAllowance> allowances) {
    Map<Long, Map<JobState, Integer>> open =
        arrayJobs.count(handle, rows.stream().map(ArrayRow::job).toList(), OPEN);
    return rows.stream()
        .map(
            row ->
                expandable(
                    row,
                    open.getOrDefault(row.job(), Map.of()),
                    blocked,
                    allowances.get(row.job())))
        .toList();
  }

  private static Expandable expandable(
      ArrayRow row, Map<JobState, Integer> open, Set<Long> blocked, ElementAllowance allowance) {
    // Blocked elements may be many and are not counted; a full quota of them is assumed.
    long resting = blocked.contains(row.job()) ? ExpansionPolicy.LOOK_AHEAD : 0;
    return new Expandable(
        row.job(),
        allowance == null ? row.range().limit() : allowance.limit(),
        open.getOrDefault(JobState.WAITING, 0),
        open.getOrDefault(JobState.PLACED, 0) + open.getOrDefault(JobState.RUNNING, 0),
        allowance == null
            ? row.left() + resting
            : Math.min(allowance.most(), allowance.queued() + resting));
  }

  private static boolean complete(ArrayRow row, ElementAllowance allowance, Set<Long> blocked) {
    boolean none = allowance == null ? row.left() == 0 : allowance.queued() == 0;
    return none && !blocked.contains(row.job());
  }

  private static boolean mayExpand(JobFacts array, Instant now) {
    return (array.state() == JobState.WAITING || array.state() == JobState.RUNNING)
        && !array.held()
        && array.cancelReason() == null
        && (array.notBefore() == null || !array.notBefore().isAfter(now));
  }

  private static List<NewJob> nextElements(JobSpec common, ArrayRow row, int count, long fitting) {
    int created = (int) Math.min(count, Math.max(1, fitting));
    List<NewJob> elements = new ArrayList<>(created);
    long index = row.next();
    for (int i = 0; i < created; i++) {
      elements.add(ElementSpecs.element(common, row, index));
      index += row.range().step();
    }
    return elements;
  }

  private List<NewJob> releasedElements(
      Handle handle, JobSpec common, ArrayRow row, int count, long characters) {
    return releasedElements.take(handle, row.job(), common, count, characters).stream()
        .map(element -> ElementSpecs.element(element.spec(), row, element.index()))
        .toList();
  }

  /** Records elements as jobs in the caller's transaction, as any other submission would. */
  @FunctionalInterface
  public interface ElementSubmission {
    /** Returns the ids in the order of the elements. */
    List<Long> submit(Handle handle, String owner, List<NewJob> elements, Instant now);
  }
}
