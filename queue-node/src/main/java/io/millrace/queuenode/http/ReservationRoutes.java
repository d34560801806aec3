package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.queuenode.agent.Reservations;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

/** The route by which a giver reserves capacity at this node. */
public final class ReservationRoutes {
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Reservations reservations;

  public ReservationRoutes(Reservations reservations) {
    this.reservations = reservations;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/reservations", EnumSet.of(Role.QUEUE_NODE), this::reserve)
            .described(
                named("reserveCapacity", "Reserves capacity for weight that is about to move here")
                    .takes(Reservation.class)
                    .answers(ReservationAnswer.class)));
  }

  private void reserve(Context ctx) {
    Reservation asked = Requests.json(ctx, Reservation.class);
    require(asked.id() != null, "id is missing");
    require(asked.from() != null && asked.queue() != null, "from and queue are required");
    Requests.requireNode(ctx, asked.from());
    require(asked.points() >= 1, "points must be at least 1");
    require(asked.load() >= 0 && Double.isFinite(asked.load()), "load must be at least 0");
    require(
        asked.ttl() != null && asked.ttl().toNanos() > 0 && asked.ttl().compareTo(LONGEST) <= 0,
        "ttl must be above 0 and at most a minute");
    Requests.answer(ctx, reservations.reserve(asked));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "the reservation's " + rule);
    }
  }
}
