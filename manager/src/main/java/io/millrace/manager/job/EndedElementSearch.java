package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.manager.job.EndedElements.FoundElement;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TimeCondition;
import io.millrace.manager.job.JobSearch.TimeField;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Finds elements of arrays that have no rows any more, newest first: reads the runs of their ids
 * backwards, in pages, and only the blocks of arrays that match. Thread-safe; blocks on the
 * database.
 */
final class EndedElementSearch {
  private static final int PAGE = 100;
  private static final int CHUNK = 512;
  private static final int MAX_ARRAYS = 1000;

  private final EndedElements elements = new EndedElements();
  private final ElementRunDao runs = new ElementRunDao();
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();

  /** The ids of the ended elements that match a search, newest first. */
  List<Long> ids(Handle handle, JobSearch search, Long before, int limit) {
    if (!mayMatch(search)) {
      return List.of();
    }
    long below = before == null ? Long.MAX_VALUE : before;
    if (!search.ids().isEmpty()) {
      List<Long> wanted = search.ids().stream().filter(id -> id < below).toList();
      return newest(
          elements.views(handle, wanted).stream()
              .filter(view -> matchesArray(search, view) && matchesElement(search, view))
              .map(JobView::id),
          limit);
    }
    if (search.arrays().isEmpty()) {
      return new Scan(handle, search, limit).run(below, null);
    }
    return newest(
        search.arrays().stream()
            .flatMap(array -> new Scan(handle, search, limit).run(below, array).stream()),
        limit);
  }

  private static List<Long> newest(Stream<Long> ids, int limit) {
    return ids.sorted(Comparator.reverseOrder()).limit(limit).toList();
  }

  /** Whether a search can find any of them; otherwise nothing is read. */
  static boolean mayMatch(JobSearch search) {
    return (search.elements() || !search.arrays().isEmpty())
        && search.wantedStates().contains(JobState.SUCCEEDED)
        && search.wantedKinds().contains(JobKind.SUBMITTED)
        && search.runs().isEmpty();
  }

  /** Whether the conditions hold that are the same for all ended elements of an array. */
  static boolean matchesArray(JobSearch search, JobView view) {
    return search.exits().stream().allMatch(exit -> exit.codes().contains(0) != exit.negated())
        && search.texts().stream()
            .filter(text -> text.field() != TextField.NODE)
            .allMatch(text -> matches(text, view));
  }

  /** Whether the conditions hold that differ from element to element. */
  static boolean matchesElement(JobSearch search, JobView view) {
    return (search.arrays().isEmpty() || search.arrays().contains(view.array()))
        && search.texts().stream()
            .filter(text -> text.field() == TextField.NODE)
            .allMatch(text -> matches(text, view))
        && search.times().stream().allMatch(time -> matches(time, view));
  }

  private static boolean matches(TextCondition condition, JobView view) {
    boolean any =
        texts(condition.field(), view)
            .filter(Objects::nonNull)
            .anyMatch(text -> condition.anyOf().stream().anyMatch(one -> one.matches(text)));
    return any != condition.negated();
  }

  private static Stream<String> texts(TextField field, JobView view) {
    return switch (field) {
      case NAME -> Stream.of(view.name());
      case NODE -> Stream.of(view.node());
      case POOL -> Stream.of(view.pool());
      case QUEUE -> Stream.ofNullable(view.queue());
      case OWNER -> Stream.of(view.owner());
      case SHARE -> Stream.of(view.share());
      case LANE -> Stream.ofNullable(view.lane());
      case TAG -> view.tags().stream();
    };
  }

  private static boolean matches(TimeCondition condition, JobView view) {
    Instant time = condition.field() == TimeField.ENDED ? view.endedAt() : view.submittedAt();
    return time.isBefore(condition.time()) != condition.after();
  }

  /** What an array has in common with its elements; null if none of them can match. */
  private record SearchedArray(ArrayRow row, JobView view) {}

  /** One pass over runs of ids. Not thread-safe. */
  private final class Scan {
    private final Handle handle;
    private final JobSearch search;
    private final int limit;
    private final Instant oldest;
    private final List<Long> found = new ArrayList<>();
    private final Map<Long, SearchedArray> known = new HashMap<>();
    private boolean over;

    Scan(Handle handle, JobSearch search, int limit) {
      this.handle = handle;
      this.search = search;
      this.limit = limit;
      this.oldest = oldest(search);
    }

    /** Before that time of submission nothing is searched for; null for any. */
    private static Instant oldest(JobSearch search) {
      return search.times().stream()
          .filter(time -> time.field() == TimeField.SUBMITTED && time.after())
          .map(time -> time.time().minus(JobReadDao.OVERLAP))
          .max(Comparator.naturalOrder())
          .orElse(null);
    }

    /** Of one array, or of all if it is null. */
    List<Long> run(long below, Long array) {
      long next = below;
      List<ElementRun> page;
      do {
        page =
            array == null
                ? runs.newest(handle, next, PAGE)
                : runs.newest(handle, array, next, PAGE);
        for (ElementRun run : page) {
          scan(run, below);
          next = run.firstId();
        }
      } while (page.size() == PAGE && !complete());
      return found;
    }

    private boolean complete() {
      return over || found.size() == limit;
    }

    private void scan(ElementRun run, long below) {
      SearchedArray array = complete() ? null : array(run.array());
      if (array == null) {
        return;
      }
      long to = Math.min(run.lastId() + 1, below);
      while (to > run.firstId() && !complete()) {
        long from = Math.max(run.firstId(), to - CHUNK);
        scan(run, array, from, to);
        to = from;
      }
    }

    private void scan(ElementRun run, SearchedArray array, long from, long to) {
      Map<Long, Long> indexes = new TreeMap<>(Comparator.reverseOrder());
      for (long id = from; id < to; id++) {
        indexes.put(id, run.index(id, array.row().range()));
      }
      Map<Long, FoundElement> ended = elements.find(handle, array.row(), indexes);
      boolean late = false;
      for (Long id : indexes.keySet()) {
        FoundElement element = ended.get(id);
        if (element != null) {
          JobView view = element.view(array.view());
          late = late || oldest == null || !view.submittedAt().isBefore(oldest);
          if (found.size() < limit && matchesElement(search, view)) {
            found.add(id);
          }
        }
      }
      over = over || !(late || ended.isEmpty());
    }

    private SearchedArray array(long id) {
      if (known.size() > MAX_ARRAYS) {
        known.clear();
      }
      return known.computeIfAbsent(id, this::read);
    }

    private SearchedArray read(long id) {
      ArrayRow row = arrays.read(handle, List.of(id)).get(id);
      JobView view = arrayJobs.views(handle, List.of(id)).get(id);
      return row == null || view == null || !matchesArray(search, view)
          ? null
          : new SearchedArray(row, view);
    }
  }
}
