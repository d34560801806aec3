package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotTable;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import io.millrace.queuenode.session.SlotReception;
import io.millrace.queuenode.session.SlotSeals;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes by which slots of queues of sessions move between nodes. */
public final class SlotRoutes {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotRoutes.class);

  // Administrators send what a lost node held, from its disk.
  private static final Set<Role> GIVERS = EnumSet.of(Role.QUEUE_NODE, Role.ADMIN);
  private static final Set<Role> MOVERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.MANAGER);
  private static final RequestParameter<Long> SLOT =
      RequestParameter.pathNumber("slot", "the slot, from 0 to 999", 0, SlotTable.SLOTS - 1);

  private final SlotReception reception;
  private final SlotSeals seals;

  public SlotRoutes(SlotReception reception, SlotSeals seals) {
    this.reception = reception;
    this.seals = seals;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/queues/{queue}/slots/{slot}/parts", GIVERS, this::take)
            .described(
                named("receiveSlot", "Stores a part of a slot that this node has got")
                    .reads(NodeSessionRoutes.QUEUE, SLOT)
                    .takes(SlotPage.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.STALE_SLOT, ErrorCode.CONFLICT, ErrorCode.STORE_FAILURE)),
        Route.post("/v1/queues/{queue}/slot-moves", MOVERS, this::move)
            .described(
                named("moveSlots", "Gives slots of this node to another one now")
                    .reads(NodeSessionRoutes.QUEUE)
                    .takes(SlotMoveRequest.class)
                    .answers(MoveAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.CONFLICT, ErrorCode.STALE_VERSION)
                    .refuses(ErrorCode.STORE_FAILURE)));
  }

  private void take(Context ctx) {
    SlotPage page = Requests.json(ctx, SlotPage.class);
    if (page.from() == null) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "name the node that had the slot");
    }
    long slot = Requests.value(ctx, SLOT);
    if (page.slot() != slot) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the part is of slot %d, and the path is of slot %d".formatted(page.slot(), slot));
    }
    String queue = Requests.value(ctx, NodeSessionRoutes.QUEUE);
    Principal caller = Requests.principal(ctx);
    if (caller.role() == Role.ADMIN) {
      reception.takeRescued(queue, page, caller.subject());
    } else {
      Requests.requireNode(ctx, page.from());
      reception.take(queue, page);
    }
    ctx.status(204);
  }

  private void move(Context ctx) {
    SlotMoveRequest request = Requests.json(ctx, SlotMoveRequest.class);
    String by = Requests.principal(ctx).subject();
    String queue = Requests.value(ctx, NodeSessionRoutes.QUEUE);
    // Before its outcome, which may remain unknown for a while.
    LOGGER.info(
        "{} asks to give {} slots of {} to {}",
        by,
        request.points(),
        queue,
        ShownText.of(request.to()));
    Requests.answer(ctx, seals.move(queue, request, by));
  }
}
