package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.job.Licence;
import io.millrace.api.job.Share;
import io.millrace.manager.dispatch.LicenceService;
import io.millrace.manager.dispatch.ShareService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;

/** Fair shares and licences, for which waiting jobs compete. */
public final class ShareRoutes {
  private record Weight(Double weight) {}

  private record Total(Integer total) {}

  private static final RequestParameter<String> NAME =
      RequestParameter.pathText("name", "the name of the share or licence");

  private final ShareService shares;
  private final LicenceService licences;

  public ShareRoutes(ShareService shares, LicenceService licences) {
    this.shares = shares;
    this.licences = licences;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/shares", Role.readers(), this::shares)
            .described(
                named("listShares", "Fair shares with weights, waiting jobs and slots in use")
                    .answersListOf(Share.class)),
        Route.put("/v1/shares/{name}", Role.operators(), this::setWeight)
            .described(
                named("setShareWeight", "Sets the weight of a share")
                    .reads(NAME)
                    .takes(Weight.class)
                    .answers(Share.class)),
        Route.get("/v1/licences", Role.readers(), this::licences)
            .described(
                named("listLicences", "Licences of the cluster with their holders")
                    .answersListOf(Licence.class)),
        Route.put("/v1/licences/{name}", Role.operators(), this::setTotal)
            .described(
                named("setLicenceTotal", "Defines a licence or changes its total")
                    .reads(NAME)
                    .takes(Total.class)
                    .answers(Licence.class)));
  }

  private void shares(Context ctx) {
    Requests.answer(ctx, shares.list());
  }

  private void setWeight(Context ctx) {
    Weight body = Requests.json(ctx, Weight.class);
    Requests.answer(ctx, shares.setWeight(Requests.value(ctx, NAME), body.weight()));
  }

  private void licences(Context ctx) {
    Requests.answer(ctx, licences.list());
  }

  private void setTotal(Context ctx) {
    Total body = Requests.json(ctx, Total.class);
    Requests.answer(ctx, licences.set(Requests.value(ctx, NAME), body.total()));
  }
}
