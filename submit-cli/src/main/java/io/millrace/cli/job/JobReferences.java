package io.millrace.cli.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.JobReference;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Finds the ids of jobs that were named as elements of arrays. */
public final class JobReferences {
  private static final int PAGE = 1000;

  private final CentralClient central;

  public JobReferences(CentralClient central) {
    this.central = central;
  }

  /**
   * The job's ID; asks the server only for elements of arrays.
   *
   * @throws MillraceException UNKNOWN_JOB if the array has no such element yet
   */
  public long id(JobReference reference) {
    return reference.index() == null
        ? reference.id()
        : element(reference.id(), reference.index()).orElseThrow(() -> unknown(reference));
  }

  public List<Long> ids(List<JobReference> references) {
    return references.stream().map(this::id).toList();
  }

  /**
   * Elements are created in the order of their indexes, so that their IDs rise with them: a binary
   * search by pages.
   */
  private Optional<Long> element(long array, long index) {
    List<JobView> page = page(array, null);
    Optional<Long> found = within(page, index);
    // The ID is at least "from" and below "to".
    long from = array;
    long to = allBelow(page, index) ? from : lowest(page);
    while (found.isEmpty() && from < to) {
      long middle = from + (to - from + 1) / 2;
      page = page(array, middle);
      found = within(page, index);
      if (allBelow(page, index)) {
        from = middle;
      } else {
        to = lowest(page);
      }
    }
    return found;
  }

  private static Optional<Long> within(List<JobView> page, long index) {
    return page.stream()
        .filter(job -> Objects.equals(job.index(), index))
        .map(JobView::id)
        .findFirst();
  }

  private static boolean allBelow(List<JobView> newestFirst, long index) {
    return newestFirst.isEmpty() || newestFirst.get(0).index() < index;
  }

  private static long lowest(List<JobView> newestFirst) {
    return newestFirst.get(newestFirst.size() - 1).id();
  }

  private List<JobView> page(long array, Long before) {
    String query = "search=" + ApiClient.encode("array:" + array) + "&limit=" + PAGE;
    return central.jobs(before == null ? query : query + "&before=" + before).jobs();
  }

  private static MillraceException unknown(JobReference reference) {
    return new MillraceException(
        ErrorCode.UNKNOWN_JOB,
        "there is no job %s; see the existing elements with 'millrace job list array:%d'"
            .formatted(reference, reference.id()));
  }
}
