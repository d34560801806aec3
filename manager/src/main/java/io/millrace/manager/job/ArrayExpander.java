package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayExpander.FeedRule.Hungry;
import io.millrace.manager.job.ArrayParentDao.Template;
import io.millrace.manager.job.JobSubmission.NewJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Makes the next elements of arrays into jobs shortly before their turn. Thread-safe.
 *
 * <p>The only one who lets elements wait for a slot, besides their own retries, and always under
 * the claim of their pool's dispatch: what it counts as waiting or running can only have become
 * less meanwhile, so that an array's limit holds whatever nodes report at the same time.
 */
public final class ArrayExpander {
  private static final int MOST_ARRAYS = 200;
  private static final Set<JobState> OPEN =
      Set.of(JobState.WAITING, JobState.PLACED, JobState.RUNNING);

  private final ArrayDao arrays = new ArrayDao();
  private final ArrayElementDao elements = new ArrayElementDao();
  private final ArrayParentDao parents = new ArrayParentDao();
  private final JobDao jobs = new JobDao();
  private final ElementTurns turns = new ElementTurns();
  private final ElementSubmission submission;

  public ArrayExpander(ElementSubmission submission) {
    this.submission = submission;
  }

  /** Pools that have an array with elements to come, though perhaps not now. */
  public List<String> pools(Handle handle) {
    return arrays.hungryPools(handle);
  }

  /**
   * Lets elements of the pool's arrays wait for a slot, in the caller's transaction, which holds
   * the claim of the pool's dispatch. Jobs are better placed in another transaction: this one locks
   * arrays, whose ids may be higher than those of jobs about to be placed.
   *
   * @param room jobs of the pool that could be placed soon, with a look-ahead so that no slot is
   *     idle until the next call
   * @return how many now wait that did not before
   */
  public int feed(Handle handle, String pool, int room, Instant now) {
    List<Long> hungry = arrays.hungry(handle, pool, now, MOST_ARRAYS);
    if (hungry.isEmpty()) {
      return 0;
    }
    Set<Long> blocked = elements.having(handle, hungry, Set.of(JobState.BLOCKED));
    Map<Long, ArrayRow> guess = arrays.read(handle, hungry);
    Map<Long, Integer> portions =
        FeedRule.portions(standings(handle, guess.values(), blocked), room);
    List<Long> touched =
        hungry.stream()
            .filter(id -> portions.containsKey(id) || sated(guess.get(id), blocked))
            .toList();
    List<JobFacts> locked =
        jobs.lock(handle, touched).stream().filter(array -> mayFeed(array, now)).toList();
    // Where an array is changes only under the lock of its job; read before that, it was a guess.
    Map<Long, ArrayRow> rows = arrays.read(handle, locked.stream().map(JobFacts::id).toList());
    return feed(handle, new Meal(locked, rows, portions, blocked), now);
  }

  /** Arrays under lock, and what each is to get. */
  private record Meal(
      List<JobFacts> arrays,
      Map<Long, ArrayRow> rows,
      Map<Long, Integer> portions,
      Set<Long> blocked) {}

  private int feed(Handle handle, Meal meal, Instant now) {
    Map<Long, Integer> released = letGo(handle, meal, now);
    Map<Long, Template> templates = parents.templates(handle, meal.portions().keySet());
    List<ArrayRow> changed = new ArrayList<>();
    int fed = 0;
    for (JobFacts array : meal.arrays()) {
      ArrayRow row = meal.rows().get(array.id());
      int gone = released.getOrDefault(array.id(), 0);
      int rest = meal.portions().getOrDefault(array.id(), 0) - gone;
      int create = (int) Math.max(0, Math.min(rest, row.left()));
      if (create > 0) {
        Template template = templates.get(array.id());
        submission.submit(
            handle,
            template.owner(),
            ElementSpecs.next(template.spec(), array.priority(), row, create),
            now);
      }
      fed += gone + create;
      ArrayRow after = row.advanced(create);
      changed.add(after.hungry(after.left() > 0 || meal.blocked().contains(array.id())));
    }
    arrays.fed(handle, changed, now);
    return fed;
  }

  // All arrays' elements in one go: rows of jobs are locked by rising id.
  private Map<Long, Integer> letGo(Handle handle, Meal meal, Instant now) {
    List<Long> ids = new ArrayList<>();
    for (JobFacts array : meal.arrays()) {
      int portion = meal.portions().getOrDefault(array.id(), 0);
      if (portion > 0 && meal.blocked().contains(array.id())) {
        ids.addAll(elements.in(handle, array.id(), JobState.BLOCKED, 0, Long.MAX_VALUE, portion));
      }
    }
    Map<Long, Integer> released = new HashMap<>();
    for (JobFacts element : turns.letGo(handle, ids, now)) {
      released.merge(element.array(), 1, Integer::sum);
    }
    return released;
  }

  private List<Hungry> standings(Handle handle, Collection<ArrayRow> rows, Set<Long> blocked) {
    Map<Long, Map<JobState, Integer>> open =
        elements.count(handle, rows.stream().map(ArrayRow::job).toList(), OPEN);
    return rows.stream()
        .map(row -> standing(row, open.getOrDefault(row.job(), Map.of()), blocked))
        .toList();
  }

  private static Hungry standing(ArrayRow row, Map<JobState, Integer> open, Set<Long> blocked) {
    return new Hungry(
        row.job(),
        row.range().limit(),
        open.getOrDefault(JobState.WAITING, 0),
        open.getOrDefault(JobState.PLACED, 0) + open.getOrDefault(JobState.RUNNING, 0),
        // How many are blocked is not counted, they may be many; a full portion is taken of them.
        row.left() + (blocked.contains(row.job()) ? FeedRule.LOOK_AHEAD : 0));
  }

  private static boolean sated(ArrayRow row, Set<Long> blocked) {
    return row.left() == 0 && !blocked.contains(row.job());
  }

  private static boolean mayFeed(JobFacts array, Instant now) {
    return (array.state() == JobState.WAITING || array.state() == JobState.RUNNING)
        && !array.held()
        && array.cancelReason() == null
        && (array.notBefore() == null || !array.notBefore().isAfter(now));
  }

  /** Writes the specifications of elements. Pure. */
  private static final class ElementSpecs {
    private ElementSpecs() {}

    /**
     * The next elements of an array.
     *
     * @param array the array's own specification
     * @param priority the array's priority now
     */
    static List<NewJob> next(JobSpec array, int priority, ArrayRow row, int count) {
      // A lane, a single-instance name and whom to tell are matters of the array as a whole.
      JobSpec common =
          array.draft().priority(priority).lane(null).single(null).notification(null).spec();
      List<NewJob> elements = new ArrayList<>(count);
      long index = row.next();
      for (int i = 0; i < count; i++) {
        Map<String, String> env = new HashMap<>(array.env());
        env.put("MILLRACE_ARRAY", Long.toString(row.job()));
        env.put("MILLRACE_ARRAY_INDEX", Long.toString(index));
        env.put("MILLRACE_ARRAY_SIZE", Long.toString(row.range().size()));
        elements.add(NewJob.element(common.draft().env(env).spec(), row.job(), index));
        index += row.range().step();
      }
      return elements;
    }
  }

  /** Records elements as jobs in the caller's transaction, as any other submission would. */
  @FunctionalInterface
  public interface ElementSubmission {
    /** The ids come in the order of the elements. */
    List<Long> submit(Handle handle, String owner, List<NewJob> elements, Instant now);
  }

/**
 * Decides how many elements of each array go on next: pure.
 *
 * <p>Each array keeps a small number of elements waiting, so that none floods the jobs that are
 * ready and all take turns with other jobs by the usual rules. It is filled up again when half of
 * them are gone, so that elements are made in batches.
 */
static final class FeedRule {
  /** Elements of one array that wait for a slot at the same time, at the most. */
  static final int LOOK_AHEAD = 500;

  /** Elements that one feeding lets go on, at the most. */
  static final int MOST = 1000;

  private FeedRule() {}

  /**
   * An array that may be fed.
   *
   * @param array its id
   * @param limit elements that may wait or run at the same time; 0 for any number
   * @param waiting elements that wait for a slot
   * @param live elements placed or running
   * @param available elements that could go on
   */
  record Hungry(long array, int limit, int waiting, int live, long available) {
    // Elements that wait count against the limit, so that it holds however many are placed at once.
    int appetite(int lookAhead) {
      int gap = lookAhead - waiting;
      if (gap <= 0 || (waiting > 0 && 2 * gap < lookAhead && limit == 0)) {
        return 0;
      }
      long room = limit == 0 ? gap : Math.min(gap, limit - waiting - live);
      return (int) Math.max(0, Math.min(room, available));
    }
  }

  /**
   * The elements that go on, by array; arrays that get none are left out.
   *
   * @param room jobs of the pool that could be placed soon
   */
  static Map<Long, Integer> portions(List<Hungry> arrays, int room) {
    int lookAhead = Math.max(1, Math.min(room, LOOK_AHEAD));
    List<Hungry> byAppetite =
        arrays.stream()
            .filter(array -> array.appetite(lookAhead) > 0)
            .sorted(Comparator.comparingInt(array -> array.appetite(lookAhead)))
            .toList();
    List<Hungry> left = new ArrayList<>(byAppetite);
    Map<Long, Integer> portions = new HashMap<>();
    int rest = MOST;
    for (Hungry array : byAppetite) {
      int fair = Math.max(1, rest / left.size());
      int portion = Math.min(Math.min(array.appetite(lookAhead), fair), rest);
      if (portion > 0) {
        portions.put(array.array(), portion);
        rest -= portion;
      }
      left.remove(0);
    }
    return portions;
  }
}
}
