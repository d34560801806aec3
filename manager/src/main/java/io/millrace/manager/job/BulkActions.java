package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.JobActionAnswer.Refusal;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies one action to many jobs, chosen by their ids or by a search, in chunks with a transaction
 * each, so that neither a lock nor a transaction is held for long. Who requested it and why is
 * recorded in each job's history. Thread-safe; blocks on the database.
 */
public final class BulkActions {
  /** Most jobs that one request changes. */
  public static final int MAX = 100_000;

  /** Most jobs that one request names. */
  public static final int MAX_IDS = 10_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(BulkActions.class);
  private static final int CHUNK = 500;
  private static final int PAGE = 10_000;
  private static final int MAX_REFUSALS = 100;

  private final Database database;
  private final JobActions actions;
  private final JobDeletion deletion;
  private final JobReadDao reads;
  private final JobDao jobs = new JobDao();
  private final EndedElements endedElements = new EndedElements();
  private final DependencyDao dependencies = new DependencyDao();

  public BulkActions(Database database, JobActions actions) {
    this.database = database;
    this.reads = new JobReadDao(database.dialect());
    this.actions = actions;
    this.deletion = new JobDeletion(database);
  }

  /**
   * Applies the action, or counts the jobs that it would change.
   *
   * @param actor requests it, for the histories
   * @throws MillraceException INVALID_REQUEST for a request that names no jobs, or too many
   */
  public JobActionAnswer apply(JobAction action, String actor) {
    if (action.verb() == null) {
      throw refuse("verb: missing; use cancel, hold, release, retry, priority or delete");
    }
    ActionRequest request =
        new ActionRequest(action.verb(), action.priority(), actor, action.reason());
    JobRules.checkAction(request);
    if (action.dependents() && action.verb() != Verb.RETRY) {
      throw refuse(
          "dependents: only retry runs them; remove it from " + MessageText.of(action.verb()));
    }
    List<Long> chosen = action.dependents() ? withDependents(choose(action)) : choose(action);
    long changed = 0;
    Map<Long, String> refused = new TreeMap<>();
    for (int from = 0; from < chosen.size(); from += CHUNK) {
      List<Long> chunk = chosen.subList(from, Math.min(from + CHUNK, chosen.size()));
      ActionResult result = action.dryRun() ? preview(request, chunk) : apply(request, chunk);
      changed += result.changed().size();
      result.refused().forEach((id, why) -> keep(refused, id, why));
      log(action, actor, result.changed());
    }
    return new JobActionAnswer(
        chosen.size(),
        changed,
        refused.entrySet().stream()
            .map(entry -> new Refusal(entry.getKey(), entry.getValue()))
            .toList());
  }

  private ActionResult apply(ActionRequest request, List<Long> chunk) {
    return request.verb() == Verb.DELETE
        ? deletion.delete(chunk)
        : database.transaction(handle -> actions.applyForUser(handle, chunk, request));
  }

  /** Of deleted jobs only the log of this server tells who deleted them. */
  private static void log(JobAction action, String actor, Collection<Long> deleted) {
    if (action.verb() == Verb.DELETE && !action.dryRun() && !deleted.isEmpty()) {
      LOGGER.info(
          "{} deleted jobs {}{}",
          actor,
          deleted,
          action.reason() == null ? "" : " (" + action.reason() + ")");
    }
  }

  private static void keep(Map<Long, String> refused, long id, String why) {
    if (refused.size() < MAX_REFUSALS) {
      refused.put(id, why);
    }
  }

  private List<Long> choose(JobAction action) {
    boolean searched = action.search() != null && !action.search().isBlank();
    if (searched && !action.ids().isEmpty()) {
      throw refuse("ids: give either ids or a search, not both");
    }
    if (searched) {
      JobSearch search = SearchParser.parse(action.search()).at(database.now());
      if (search.unbounded()) {
        throw refuse("search: it matches every job; narrow it, for instance state:waiting");
      }
      return found(search);
    }
    if (action.ids().isEmpty()) {
      throw refuse("ids: missing; give ids, or a search such as state:failed tag:nightly");
    }
    if (action.ids().size() > MAX_IDS) {
      throw refuse(
          "ids: %d in one request; use at most %d".formatted(action.ids().size(), MAX_IDS));
    }
    return action.ids().stream().distinct().sorted().toList();
  }

  // Chosen before anything is changed, because changes alter what the search finds.
  private List<Long> found(JobSearch search) {
    LinkedHashSet<Long> found = new LinkedHashSet<>();
    Long before = null;
    List<Long> page;
    do {
      Long from = before;
      page = database.read(handle -> reads.ids(handle, search, from, PAGE));
      found.addAll(page);
      before = page.isEmpty() ? null : page.get(page.size() - 1);
      if (found.size() > MAX) {
        throw refuse(
            "search: it matches more than %d jobs; narrow it, for instance by a tag, a name or a state"
                .formatted(MAX));
      }
    } while (page.size() == PAGE);
    List<Long> ids = new ArrayList<>(found);
    ids.sort(Comparator.naturalOrder());
    return ids;
  }

  // By rising id, so that a job waits again before those that wait for it.
  private List<Long> withDependents(List<Long> chosen) {
    TreeSet<Long> all = new TreeSet<>(chosen);
    Collection<Long> next = chosen;
    while (!next.isEmpty()) {
      Collection<Long> on = next;
      next =
          database.read(handle -> dependencies.cancelledBecauseOf(handle, on)).stream()
              .filter(all::add)
              .toList();
      if (all.size() > MAX) {
        throw refuse("dependents: more than %d jobs; retry fewer jobs at once".formatted(MAX));
      }
    }
    return List.copyOf(all);
  }

  private ActionResult preview(ActionRequest request, List<Long> chunk) {
    if (request.verb() == Verb.DELETE) {
      return deletion.preview(chunk);
    }
    ActionResult result = new ActionResult();
    Map<Long, JobFacts> facts = new TreeMap<>();
    database.read(handle -> jobs.read(handle, chunk)).forEach(job -> facts.put(job.id(), job));
    List<Long> missing = chunk.stream().filter(id -> !facts.containsKey(id)).toList();
    database
        .read(handle -> endedElements.facts(handle, missing))
        .forEach(job -> facts.put(job.id(), job));
    for (Long id : chunk) {
      JobFacts job = facts.get(id);
      String refusal = job == null ? JobMessages.DOES_NOT_EXIST : refusal(request, job);
      if (refusal == null) {
        result.changed(id);
      } else {
        result.refused(id, refusal);
      }
    }
    return result;
  }

  // As far as the state decides; other obstacles (a held name) show only when it is applied.
  private static String refusal(ActionRequest request, JobFacts job) {
    JobState state = job.state();
    boolean permitted =
        switch (request.verb()) {
          case CANCEL -> !state.ended() && job.cancelReason() == null;
          case HOLD -> !job.held() && (state.waits() || (job.isArray() && !state.ended()));
          case RELEASE -> job.held() && !state.ended();
          case RETRY -> state == JobState.FAILED || state == JobState.CANCELLED;
          case PRIORITY -> !state.ended() && job.priority() != request.priority();
          // Asked of JobDeletion instead.
          case DELETE -> false;
        };
    return permitted
        ? null
        : "%s; '%s' does not apply to it"
            .formatted(JobMessages.predicate(state), MessageText.of(request.verb()));
  }

  private static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }
}
