package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.JobActionAnswer.Refusal;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Does one thing to many jobs: chosen by their ids or by a search first, then in pieces, each a
 * transaction of its own, so that neither a lock nor a transaction is held for long. Who asks and
 * why stands in each job's history. Thread-safe; blocks on the database.
 */
public final class BulkActions {
  /** Jobs that one request acts on, at the most. */
  public static final int MOST = 100_000;

  /** Jobs that one request names, at the most. */
  public static final int MOST_IDS = 10_000;

  private static final int PIECE = 500;
  private static final int PAGE = 10_000;
  private static final int MOST_REFUSALS = 100;

  private final Database database;
  private final JobActions actions;
  private final JobReadDao reads = new JobReadDao();
  private final JobDao jobs = new JobDao();

  public BulkActions(Database database, JobActions actions) {
    this.database = database;
    this.actions = actions;
  }

  /**
   * Does it, or counts what it would do.
   *
   * @param who asks, for the histories
   * @throws MillraceException INVALID_REQUEST for a request that names no jobs, or too many
   */
  public JobActionAnswer apply(JobAction action, String who) {
    if (action.verb() == null) {
      throw refuse("verb: say what to do, one of cancel, hold, release, retry or priority");
    }
    ActionRequest request =
        new ActionRequest(action.verb(), action.priority(), who, action.reason());
    JobRules.checkAction(request);
    List<Long> chosen = choose(action);
    long changed = 0;
    Map<Long, String> refused = new TreeMap<>();
    for (int from = 0; from < chosen.size(); from += PIECE) {
      List<Long> piece = chosen.subList(from, Math.min(from + PIECE, chosen.size()));
      ActionResult result =
          action.dryRun()
              ? rehearse(request, piece)
              : database.transaction(handle -> actions.apply(handle, piece, request));
      changed += result.changed().size();
      result.refused().forEach((id, why) -> keep(refused, id, why));
    }
    return new JobActionAnswer(
        chosen.size(),
        changed,
        refused.entrySet().stream()
            .map(entry -> new Refusal(entry.getKey(), entry.getValue()))
            .toList());
  }

  private static void keep(Map<Long, String> refused, long id, String why) {
    if (refused.size() < MOST_REFUSALS) {
      refused.put(id, why);
    }
  }

  private List<Long> choose(JobAction action) {
    boolean searched = action.search() != null && !action.search().isBlank();
    if (searched && !action.ids().isEmpty()) {
      throw refuse("ids: leave them out, or the search; both is too much");
    }
    if (searched) {
      JobSearch search = SearchParser.parse(action.search());
      if (search.unbounded()) {
        throw refuse("search: it means every job; say which, for instance state:waiting");
      }
      return found(search);
    }
    if (action.ids().isEmpty()) {
      throw refuse("ids: name jobs, or give a search such as state:failed tag:nightly");
    }
    if (action.ids().size() > MOST_IDS) {
      throw refuse("ids: " + action.ids().size() + " in one request; use at most " + MOST_IDS);
    }
    return action.ids().stream().distinct().sorted().toList();
  }

  // Chosen before anything is done: what is done changes what a search finds.
  private List<Long> found(JobSearch search) {
    LinkedHashSet<Long> found = new LinkedHashSet<>();
    Long before = null;
    List<Long> page;
    do {
      Long from = before;
      page = database.read(handle -> reads.ids(handle, search, from, PAGE));
      found.addAll(page);
      before = page.isEmpty() ? null : page.get(page.size() - 1);
      if (found.size() > MOST) {
        throw refuse(
            "search: it means more than "
                + MOST
                + " jobs; narrow it, for instance by a tag, a name or a state");
      }
    } while (page.size() == PAGE);
    List<Long> ids = new ArrayList<>(found);
    ids.sort(Comparator.naturalOrder());
    return ids;
  }

  private ActionResult rehearse(ActionRequest request, List<Long> piece) {
    ActionResult result = new ActionResult();
    Map<Long, JobFacts> facts = new TreeMap<>();
    database.read(handle -> jobs.read(handle, piece)).forEach(job -> facts.put(job.id(), job));
    for (Long id : piece) {
      JobFacts job = facts.get(id);
      String refusal = job == null ? "is not there" : refusal(request, job);
      if (refusal == null) {
        result.changed(id);
      } else {
        result.refused(id, refusal);
      }
    }
    return result;
  }

  // As far as the state tells; the rest (a lane, a name that is held) shows when it is done.
  private static String refusal(ActionRequest request, JobFacts job) {
    JobState state = job.state();
    boolean fits =
        switch (request.verb()) {
          case CANCEL -> !state.ended() && job.cancelReason() == null;
          case HOLD -> !job.held() && (state.waits() || (job.isArray() && !state.ended()));
          case RELEASE -> job.held() && !state.ended();
          case RETRY -> state == JobState.FAILED || state == JobState.CANCELLED;
          case PRIORITY -> !state.ended() && job.priority() != request.priority();
        };
    return fits ? null : "is " + state + ", which " + request.verb() + " does not change";
  }

  private static MillraceException refuse(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words);
  }
}
