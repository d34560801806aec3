package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.insight.UsageReport;
import io.millrace.api.insight.UsageReport.UsageBy;
import io.millrace.manager.accounting.UsageAccounting;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;
import java.util.Locale;

/** What jobs used, for accounting. */
public final class UsageRoutes {
  private static final String USUAL_PERIOD = "7d";
  private static final RequestParameter<String> BY =
      RequestParameter.choice(
          "by", "what the figures are added up for", "owner", List.of("owner", "queue", "task"));
  private static final RequestParameter<String> SINCE =
      RequestParameter.text(
          "since", "the beginning of the period: a duration before now, or a date; 7d if absent");
  private static final RequestParameter<String> UNTIL =
      RequestParameter.text("until", "its end: a duration before now, or a date; now if absent");

  private final UsageAccounting accounting;

  public UsageRoutes(UsageAccounting accounting) {
    this.accounting = accounting;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/usage", Role.readers(), this::usage)
            .described(
                named("reportUsage", "What jobs used in a period, by owner, queue or task")
                    .reads(BY, SINCE, UNTIL)
                    .answers(UsageReport.class)));
  }

  private void usage(Context ctx) {
    UsageBy by = UsageBy.valueOf(Requests.value(ctx, BY).toUpperCase(Locale.ROOT));
    String since = Requests.value(ctx, SINCE);
    Requests.answer(
        ctx,
        accounting.report(by, since == null ? USUAL_PERIOD : since, Requests.value(ctx, UNTIL)));
  }
}
