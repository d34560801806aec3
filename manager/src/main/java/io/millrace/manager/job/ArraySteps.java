package io.millrace.manager.job;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayRow.Again;
import io.millrace.manager.job.ArrayStepPolicy.ArrayStep;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Carries out what arrays need, in transactions that hold the lock of the array's own job. */
public final class ArraySteps {
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayElementDao elements = new ArrayElementDao();
  private final ArrayParentDao parents = new ArrayParentDao();
  private final HistoryDao history = new HistoryDao();
  private final ElementSweep sweep;
  private final ArrayCompletion end;
  private final WakeUps wakeUps;

  public ArraySteps(ElementSweep sweep, ArrayCompletion end, WakeUps wakeUps) {
    this.sweep = sweep;
    this.end = end;
    this.wakeUps = wakeUps;
  }

  /** Takes the step; whether it changed anything. */
  boolean take(Handle handle, ArrayStep step, JobFacts array, ArrayRow row, Instant now) {
    long id = array.id();
    return switch (step) {
      case NONE -> false;
      case SETTLE, END -> {
        end.endExhausted(handle, List.of(id), now);
        yield true;
      }
      case REVIVE -> revive(handle, array, row, now);
      case EXPIRE -> expire(handle, array, now);
      case START -> {
        parents.start(handle, array, now);
        note(handle, array, JobState.RUNNING, "its first element has started", now);
        yield true;
      }
      case CANCEL_ELEMENTS ->
          sweep.apply(handle, id, request(Verb.CANCEL, array, array.cancelReason())) > 0;
      case TAKE_BACK -> sweep.takeBack(handle, id, now) > 0;
      case TRY_AGAIN -> tryAgain(handle, array, row);
      case WAKE -> {
        arrays.wake(handle, List.of(id));
        wakeUps.ready(handle);
        yield true;
      }
    };
  }

  private boolean revive(Handle handle, JobFacts array, ArrayRow row, Instant now) {
    parents.revive(handle, array);
    // What a cancelled array never created stays so; only a retry of the whole creates it.
    arrays.revived(handle, array.id(), row.skipped() > 0 ? JobState.CANCELLED : null);
    note(handle, array, JobState.WAITING, "an element of it is tried again", now);
    wakeUps.ready(handle);
    return true;
  }

  // Its elements have the same deadline; those that it never creates end with it.
  private boolean expire(Handle handle, JobFacts array, Instant now) {
    String words = "its deadline passed";
    parents.askEnd(handle, array, words);
    note(handle, array, array.state(), words, now);
    sweep.apply(handle, array.id(), request(Verb.CANCEL, array, words));
    arrays.stop(handle, array.id(), JobState.FAILED);
    return true;
  }

  private boolean tryAgain(Handle handle, JobFacts array, ArrayRow row) {
    Again again = row.again();
    List<Long> next = new ArrayList<>(ended(handle, array, again, JobState.FAILED));
    if (again.cancelledToo()) {
      next.addAll(ended(handle, array, again, JobState.CANCELLED));
    }
    Collections.sort(next);
    boolean last = next.size() < ElementSweep.MOST;
    List<Long> piece = last ? next : next.subList(0, ElementSweep.MOST);
    if (!piece.isEmpty()) {
      sweep.retry(handle, piece, request(Verb.RETRY, array, null));
    }
    arrays.tried(
        handle,
        array.id(),
        last ? null : new Again(piece.get(piece.size() - 1), again.upTo(), again.cancelledToo()));
    wakeUps.ready(handle);
    return true;
  }

  private List<Long> ended(Handle handle, JobFacts array, Again again, JobState state) {
    return elements.in(handle, array.id(), state, again.after(), again.upTo(), ElementSweep.MOST);
  }

  private static ActionRequest request(Verb verb, JobFacts array, String reason) {
    return new ActionRequest(verb, null, "its array, job " + array.id(), reason);
  }

  private void note(Handle handle, JobFacts array, JobState state, String words, Instant now) {
    history.write(handle, List.of(new Line(array.id(), state, 0, words)), now);
    wakeUps.jobChanged(handle, array.id());
  }
}
