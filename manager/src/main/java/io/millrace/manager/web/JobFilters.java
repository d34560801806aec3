package io.millrace.manager.web;

import io.javalin.http.Context;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.job.JobFilter;
import io.millrace.platform.http.Requests;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Reads which jobs a list is to show from a request's query. */
final class JobFilters {
  private static final int USUAL_LIMIT = 100;

  private JobFilters() {}

  static JobFilter of(Context ctx) {
    long before = Requests.number(ctx, "before", 0, 0, Long.MAX_VALUE);
    return new JobFilter(
        kind(ctx.queryParam("kind")),
        states(ctx.queryParam("state")),
        absentIfEmpty(ctx.queryParam("queue")),
        absentIfEmpty(ctx.queryParam("name")),
        before == 0 ? null : before,
        (int) Requests.number(ctx, "limit", USUAL_LIMIT, 1, JobFilter.MOST));
  }

  // Workers come by the thousand; whoever wants to see them says so.
  private static JobKind kind(String text) {
    if (text == null || text.isEmpty()) {
      return JobKind.SUBMITTED;
    }
    return text.equalsIgnoreCase("all") ? null : constant("kind", text, JobKind.values());
  }

  private static Set<JobState> states(String text) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    if (text != null && !text.isEmpty()) {
      for (String word : text.split(",", -1)) {
        states.add(constant("state", word.strip(), JobState.values()));
      }
    }
    return states;
  }

  private static <E extends Enum<E>> E constant(String name, String text, E[] values) {
    for (E value : values) {
      if (value.name().equalsIgnoreCase(text)) {
        return value;
      }
    }
    throw new MillraceException(
        ErrorCode.INVALID_REQUEST,
        name
            + " is one of "
            + Arrays.toString(values).toLowerCase(Locale.ROOT)
            + ", not '"
            + text
            + "'");
  }

  private static String absentIfEmpty(String text) {
    return text == null || text.isEmpty() ? null : text;
  }
}
