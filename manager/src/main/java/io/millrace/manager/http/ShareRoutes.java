package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.manager.dispatch.LicenceService;
import io.millrace.manager.dispatch.ShareService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** Fair shares and licences, for which waiting jobs compete. */
public final class ShareRoutes {
  private record Weight(Double weight) {}

  private record Total(Integer total) {}

  private final ShareService shares;
  private final LicenceService licences;

  public ShareRoutes(ShareService shares, LicenceService licences) {
    this.shares = shares;
    this.licences = licences;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/shares", Role.readers(), this::shares),
        Route.put("/v1/shares/{name}", Role.operators(), this::setWeight),
        Route.get("/v1/licences", Role.readers(), this::licences),
        Route.put("/v1/licences/{name}", Role.operators(), this::setTotal));
  }

  private void shares(Context ctx) {
    Requests.answer(ctx, shares.list());
  }

  private void setWeight(Context ctx) {
    Weight body = Requests.json(ctx, Weight.class);
    Requests.answer(ctx, shares.setWeight(ctx.pathParam("name"), body.weight()));
  }

  private void licences(Context ctx) {
    Requests.answer(ctx, licences.list());
  }

  private void setTotal(Context ctx) {
    Total body = Requests.json(ctx, Total.class);
    Requests.answer(ctx, licences.set(ctx.pathParam("name"), body.total()));
  }
}
