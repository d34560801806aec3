package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.manager.job.JobFilter;
import io.millrace.manager.job.SearchParser;
import io.millrace.manager.job.SearchWord;
import io.millrace.platform.http.Requests;
import java.util.ArrayList;
import java.util.List;

/** Reads which jobs a list is to show from a request's query. */
final class JobFilters {
  private static final int USUAL_LIMIT = 100;

  private JobFilters() {}

  /** The search, and what other parameters add to it as further words. */
  static JobFilter of(Context ctx) {
    String search = ctx.queryParam("search");
    List<SearchWord> further = new ArrayList<>();
    for (String key : List.of("state", "kind", "array")) {
      String value = ctx.queryParam(key);
      if (value != null && !value.isEmpty()) {
        further.add(SearchWord.of(key, value));
      }
    }
    for (String key : List.of("queue", "name")) {
      String value = ctx.queryParam(key);
      if (value != null && !value.isEmpty()) {
        further.add(SearchWord.exactly(key, value));
      }
    }
    long before = Requests.number(ctx, "before", 0, 0, Long.MAX_VALUE);
    return new JobFilter(
        SearchParser.parse(search == null ? "" : search, further),
        before == 0 ? null : before,
        (int) Requests.number(ctx, "limit", USUAL_LIMIT, 1, JobFilter.MOST));
  }
}
