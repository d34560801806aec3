package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.partition.MineRequest;
import io.millrace.api.partition.NextRequest;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.manager.partition.PartitionCycles;
import io.millrace.manager.partition.PartitionGroups;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Groups of programs that share resources (C-10), in any language. */
public final class PartitionRoutes {
  private final PartitionGroups groups;
  private final PartitionCycles cycles;

  public PartitionRoutes(PartitionGroups groups, PartitionCycles cycles) {
    this.groups = groups;
    this.cycles = cycles;
  }

  public List<Route> routes() {
    // Members are user programs, as producers are.
    Set<Role> members = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER);
    return List.of(
        Route.get("/v1/partitions", Role.readers(), this::list),
        Route.get("/v1/partitions/{group}", Role.readers(), this::show),
        Route.post("/v1/partitions/{group}/members", members, this::join),
        Route.delete("/v1/partitions/{group}/members/{member}", members, this::leave),
        Route.post("/v1/partitions/{group}/mine", members, this::mine),
        Route.post("/v1/partitions/{group}/next", members, this::next));
  }

  private void list(Context ctx) {
    Requests.answer(ctx, groups.list());
  }

  private void show(Context ctx) {
    Requests.answer(ctx, groups.show(group(ctx)));
  }

  private void join(Context ctx) {
    MemberRequest request = Requests.json(ctx, MemberRequest.class);
    Requests.answer(ctx, groups.join(group(ctx), request));
  }

  private void leave(Context ctx) {
    long term = Requests.number(ctx, "term", 0, 1, Long.MAX_VALUE);
    if (term == 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "term is missing; it was returned when the member joined");
    }
    groups.leave(group(ctx), ctx.pathParam("member"), term);
    ctx.status(204);
  }

  private void mine(Context ctx) {
    MineRequest request = Requests.json(ctx, MineRequest.class);
    Requests.answer(ctx, groups.mine(group(ctx), request));
  }

  private void next(Context ctx) {
    NextRequest request = Requests.json(ctx, NextRequest.class);
    Requests.answer(ctx, cycles.next(group(ctx), request));
  }

  private static String group(Context ctx) {
    return ctx.pathParam("group");
  }
}
