package io.millrace.manager.job;

import io.millrace.api.job.Outcome;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Puts why an attempt was asked to stop into its end; its node knows only that it was. */
final class StopReasons {
  private final BookingDao bookings = new BookingDao();

  List<EndedAttempt> explain(Handle handle, List<EndedAttempt> ends) {
    List<Long> stopped =
        ends.stream().filter(StopReasons::stopped).map(end -> end.job().id()).toList();
    Map<Long, String> reasons = bookings.stopReasons(handle, stopped);
    if (reasons.isEmpty()) {
      return ends;
    }
    return ends.stream()
        .map(end -> stopped(end) ? explained(end, reasons.get(end.job().id())) : end)
        .toList();
  }

  private static boolean stopped(EndedAttempt end) {
    return end.end().outcome() == Outcome.STOPPED;
  }

  private static EndedAttempt explained(EndedAttempt end, String reason) {
    return reason == null ? end : end.because(reason);
  }
}
