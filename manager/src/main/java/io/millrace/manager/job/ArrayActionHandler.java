package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.manager.job.JobActions.ArrayActions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Carries out what people want done to whole arrays: on the array's own job and its cursor at once,
 * on the elements that are jobs by now in bounded pieces, of which the {@link ArrayReconciler} does
 * what is left. Thread-safe.
 */
public final class ArrayActionHandler implements ArrayActions {
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayParentDao parents = new ArrayParentDao();
  private final HistoryDao history = new HistoryDao();
  private final ElementSweep sweep;
  private final ArrayCompletion end;

  public ArrayActionHandler(ElementSweep sweep, ArrayCompletion end) {
    this.sweep = sweep;
    this.end = end;
  }

  @Override
  public List<JobFacts> apply(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    return switch (request.verb()) {
      case CANCEL -> cancel(handle, request, locked, result, now);
      case HOLD -> hold(handle, request, locked, result, now);
      case RELEASE -> release(handle, request, locked, result, now);
      case PRIORITY -> {
        locked.stream()
            .filter(array -> !array.state().ended())
            .forEach(array -> sweep.apply(handle, array.id(), request));
        yield locked;
      }
      // An array that waits again is told of by jobsRevived.
      case RETRY -> locked;
    };
  }

  private List<JobFacts> cancel(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    String words = request.words("cancelled");
    List<JobFacts> stopping = new ArrayList<>();
    for (JobFacts array : locked) {
      if (array.state().ended()) {
        result.refused(array.id(), "has ended already: " + array.state());
      } else if (array.cancelReason() != null) {
        result.refused(array.id(), "was asked to stop before: " + array.cancelReason());
      } else {
        parents.askEnd(handle, array, words);
        note(handle, array, words, now);
        result.changed(array.id());
        stopping.add(array);
      }
    }
    stopping.forEach(array -> sweep.apply(handle, array.id(), request));
    stopping.forEach(array -> arrays.stop(handle, array.id(), JobState.CANCELLED));
    end.endExhausted(handle, stopping.stream().map(JobFacts::id).toList(), now);
    return List.of();
  }

  private List<JobFacts> hold(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    List<JobFacts> ordinary = new ArrayList<>();
    for (JobFacts array : locked) {
      if (array.state() == JobState.RUNNING && !array.held() && array.cancelReason() == null) {
        String words = request.words("held");
        parents.hold(handle, array, true, words);
        note(handle, array, words, now);
        result.changed(array.id());
      } else {
        ordinary.add(array);
      }
    }
    locked.stream()
        .filter(array -> !array.state().ended())
        .forEach(array -> sweep.takeBack(handle, array.id(), now));
    return ordinary;
  }

  private List<JobFacts> release(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    List<JobFacts> ordinary = new ArrayList<>();
    for (JobFacts array : locked) {
      if (array.state() == JobState.RUNNING && array.held()) {
        parents.hold(handle, array, false, null);
        note(handle, array, request.words("released"), now);
        result.changed(array.id());
      } else {
        ordinary.add(array);
      }
    }
    arrays.wake(
        handle, locked.stream().filter(array -> !array.state().ended()).map(JobFacts::id).toList());
    return ordinary;
  }

  private void note(Handle handle, JobFacts array, String words, Instant now) {
    history.write(handle, List.of(new Line(array.id(), array.state(), 0, words)), now);
  }
}
