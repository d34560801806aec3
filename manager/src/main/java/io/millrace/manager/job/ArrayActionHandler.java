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
 * Applies actions to arrays: at once to the array's own job and its cursor, in bounded pieces to
 * the elements that are jobs already; the {@link ArrayReconciler} does the rest. Thread-safe.
 */
final class ArrayActionHandler implements ArrayActions {
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final HistoryDao history = new HistoryDao();
  private final ArrayElements elements = new ArrayElements();
  private final JobActions actions;
  private final ArrayCompletion completion;

  ArrayActionHandler(JobActions actions, ArrayCompletion completion) {
    this.actions = actions;
    this.completion = completion;
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
            .forEach(array -> elements.apply(handle, actions, array.id(), request));
        yield locked;
      }
      // Watchers learn from jobsRetried that an array waits again.
      case RETRY -> locked;
      case DELETE -> throw new IllegalArgumentException("JobDeletion deletes arrays");
    };
  }

  private List<JobFacts> cancel(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    String event = request.event("cancelled");
    List<JobFacts> stopping = new ArrayList<>();
    for (JobFacts array : locked) {
      if (array.state().ended()) {
        result.refused(array.id(), JobMessages.alreadyEnded(array.state()));
      } else if (array.cancelReason() != null) {
        result.refused(array.id(), JobMessages.alreadyCancelled(array.cancelReason()));
      } else {
        arrayJobs.requestEnd(handle, array, event);
        record(handle, array, event, now);
        result.changed(array.id());
        stopping.add(array);
      }
    }
    stopping.forEach(array -> elements.cancel(handle, actions, array.id(), request));
    stopping.forEach(array -> arrays.stop(handle, array.id(), JobState.CANCELLED));
    completion.endExhausted(handle, stopping.stream().map(JobFacts::id).toList(), now);
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
        String event = request.event("held");
        arrayJobs.hold(handle, array, true, event);
        record(handle, array, event, now);
        result.changed(array.id());
      } else {
        ordinary.add(array);
      }
    }
    locked.stream()
        .filter(array -> !array.state().ended())
        .forEach(array -> elements.withdraw(handle, array.id(), now));
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
        arrayJobs.hold(handle, array, false, null);
        record(handle, array, request.event("released"), now);
        result.changed(array.id());
      } else {
        ordinary.add(array);
      }
    }
    arrays.markExpandable(
        handle, locked.stream().filter(array -> !array.state().ended()).map(JobFacts::id).toList());
    return ordinary;
  }

  private void record(Handle handle, JobFacts array, String event, Instant now) {
    history.write(handle, List.of(new Line(array.id(), array.state(), 0, event)), now);
  }
}
