package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.partition.MineRequest;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.NextRequest;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.api.partition.PartitionGroup.Membership;
import io.millrace.manager.partition.PartitionCycles;
import io.millrace.manager.partition.PartitionGroups;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Groups of programs that share resources (C-10), in any language. */
public final class PartitionRoutes {
  private static final RequestParameter<String> GROUP =
      RequestParameter.pathText("group", "the group's name");
  private static final RequestParameter<String> MEMBER =
      RequestParameter.pathText("member", "the member's name");
  private static final RequestParameter<Long> TERM =
      RequestParameter.optionalNumber(
              "term", "the number that was returned when the member joined", 1, Long.MAX_VALUE)
          .demanded();

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
        Route.get("/v1/partitions", Role.readers(), this::list)
            .described(
                named("listPartitionGroups", "Groups that share resources, with their members")
                    .answersListOf(PartitionGroup.class)),
        Route.get("/v1/partitions/{group}", Role.readers(), this::show)
            .described(
                named("showPartitionGroup", "One group, with the progress of its last cycles")
                    .reads(GROUP)
                    .answers(PartitionGroup.class)
                    .refuses(ErrorCode.UNKNOWN_GROUP)),
        Route.post("/v1/partitions/{group}/members", members, this::join)
            .described(
                named("joinPartitionGroup", "Joins a group, or renews a membership")
                    .reads(GROUP)
                    .takes(MemberRequest.class)
                    .answers(Membership.class)
                    .refuses(ErrorCode.CONFLICT)),
        Route.delete("/v1/partitions/{group}/members/{member}", members, this::leave)
            .described(
                named("leavePartitionGroup", "Leaves a group")
                    .reads(GROUP, MEMBER, TERM)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_GROUP)),
        Route.post("/v1/partitions/{group}/mine", members, this::mine)
            .described(
                named("findMyResources", "Which resources belong to a member")
                    .reads(GROUP)
                    .takes(MineRequest.class)
                    .answers(MineAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_GROUP, ErrorCode.CONFLICT)),
        Route.post("/v1/partitions/{group}/next", members, this::next)
            .described(
                named("takeNextResources", "Records what a member has done, and what it holds then")
                    .reads(GROUP)
                    .takes(NextRequest.class)
                    .answers(NextAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_GROUP, ErrorCode.CONFLICT)));
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
    groups.leave(group(ctx), Requests.value(ctx, MEMBER), Requests.value(ctx, TERM));
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
    return Requests.value(ctx, GROUP);
  }
}
