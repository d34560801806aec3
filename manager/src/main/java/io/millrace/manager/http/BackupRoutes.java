package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.StoredEvent.StoreSummary;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.backup.CentralSpool;
import io.millrace.manager.node.NodeAddress;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a backup consists of: a copy of the central database, and the stores of the queue nodes,
 * page by page. Only administrators get them, because they contain everything.
 */
public final class BackupRoutes {
  private static final Logger LOGGER = LoggerFactory.getLogger(BackupRoutes.class);
  private static final Set<Role> ADMINS = Set.of(Role.ADMIN);
  private static final RequestParameter<String> NODE =
      RequestParameter.pathText("node", "the queue node's name");
  private static final RequestParameter<Long> AFTER =
      RequestParameter.number("after", "only events with higher numbers", 0, 0, Long.MAX_VALUE);
  private static final RequestParameter<Long> UP_TO =
      RequestParameter.number(
          "upTo", "no events with higher numbers", Long.MAX_VALUE, 0, Long.MAX_VALUE);
  private static final Duration PAGE_WITHIN = Duration.ofSeconds(30);
  // A page has at most 1 MiB of events, or one large event, and JSON escapes some characters.
  private static final long MAX_PAGE = 16L << 20;

  private final CentralSpool spool;
  private final QueueNodes nodes;
  private final SignedCalls calls;

  public BackupRoutes(CentralSpool spool, QueueNodes nodes, SignedCalls calls) {
    this.spool = spool;
    this.nodes = nodes;
    this.calls = calls;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/backup/central", ADMINS, this::central)
            .described(
                named("copyCentralDatabase", "The central database as of one moment")
                    .answersMedia("application/gzip")
                    .refuses(ErrorCode.UNAVAILABLE, ErrorCode.STORE_FAILURE)),
        Route.get("/v1/backup/stores/{node}", ADMINS, this::store)
            .described(
                named("showStoreOfNode", "What the store of a queue node holds")
                    .reads(NODE)
                    .answers(StoreSummary.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.UNREACHABLE)),
        Route.get("/v1/backup/stores/{node}/{queue}", ADMINS, this::events)
            .described(
                named("copyStoreOfNode", "Events of a queue in the store of a queue node")
                    .reads(NODE, CommonParameters.QUEUE, AFTER, UP_TO)
                    .answers(StoredEvents.class)
                    .refuses(
                        ErrorCode.UNKNOWN_NODE, ErrorCode.UNREACHABLE, ErrorCode.STORE_FAILURE)));
  }

  private void central(Context ctx) throws IOException {
    LOGGER.info("{} takes a backup of the central database", Requests.principal(ctx).subject());
    spool.copy(
        (copy, bytes) -> {
          ctx.contentType("application/gzip").header("Content-Length", Long.toString(bytes));
          copy.transferTo(ctx.res().getOutputStream());
        });
  }

  private void store(Context ctx) {
    answer(ctx, "/v1/store");
  }

  private void events(Context ctx) {
    answer(
        ctx,
        ApiClient.path(
            "/v1/store/%s/events?after=%s&upTo=%s",
            Requests.value(ctx, CommonParameters.QUEUE),
            Requests.value(ctx, AFTER),
            Requests.value(ctx, UP_TO)));
  }

  private void answer(Context ctx, String path) {
    QueueNodeView node = nodes.require(Requests.value(ctx, NODE));
    HttpCall call =
        HttpCall.get(NodeAddress.of(node.name(), node.address(), path))
            .within(PAGE_WITHIN)
            .answeredWithin(MAX_PAGE);
    try {
      HttpAnswer answer =
          calls.to(Role.QUEUE_NODE, node.name(), Requests.principal(ctx)).send(call).orThrow();
      ctx.contentType("application/json").result(answer.body());
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "queue node %s does not answer at %s: %s".formatted(node.name(), node.address(), e),
          e);
    } catch (MillraceException e) {
      if (!SignedCalls.refusesServer(e)) {
        throw e;
      }
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "the server at %s refuses the call to queue node %s: %s"
              .formatted(node.address(), node.name(), e.getMessage()),
          e);
    }
  }
}
