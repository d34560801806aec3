package io.millrace.manager.queue;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.identity.Principal;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes parts of slots that an administrator has read from the disk of a lost queue node to the
 * nodes that own the slots now, so that no queue node gets the administrator's token. Thread-safe;
 * blocks on the database and on the queue node.
 */
public final class SlotPartCalls {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotPartCalls.class);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final SegmentCalls calls;
  private final Function<String, Optional<QueueWeights>> rows;

  /**
   * The slots of all queues.
   *
   * @param rows the weight row of a queue, with its slots; blocks
   */
  public SlotPartCalls(
      QueueDefinitions definitions,
      QueueNodes nodes,
      SegmentCalls calls,
      Function<String, Optional<QueueWeights>> rows) {
    this.definitions = definitions;
    this.nodes = nodes;
    this.calls = calls;
    this.rows = rows;
  }

  /**
   * Passes a part on; once this returns, the slot's owner has stored it.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_SESSION, INVALID_REQUEST, UNKNOWN_NODE if the
   *     sender is none, CONFLICT if it is not lost, UNAVAILABLE while the slots are not
   *     distributed, UNREACHABLE if the owner does not answer, or the owner's refusal
   */
  public void pass(String queue, SlotPage page, Principal caller) {
    requireSessions(queue);
    if (page.from() == null) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "name the node that had the slot");
    }
    QueueNodeView from = nodes.require(page.from());
    if (!from.lost()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%s is not lost and sends its sessions itself; rescue them only from the disk of a lost node"
              .formatted(from.name()));
    }
    String owner = owner(queue, page.slot());
    URI uri = URI.create(path("/v1/queues/%s/slots/%s/parts", queue, page.slot()));
    calls.pass(nodes.require(owner), HttpCall.post(uri, page), LIMIT, caller);
    if (page.next() == null) {
      LOGGER.info(
          "{} sent what {} held of slot {} of {} to {}",
          caller.subject(),
          from.name(),
          page.slot(),
          queue,
          owner);
    }
  }

  private void requireSessions(String queue) {
    if (!definitions.require(queue).definition().ofSessions()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_SESSION,
          "queue %s has no sessions; its definition has no sessions.key".formatted(queue));
    }
  }

  private String owner(String queue, int slot) {
    return rows.apply(queue)
        .map(QueueWeights::slots)
        .map(slots -> slots.owner(slot))
        .map(SlotOwner::node)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNAVAILABLE,
                    "the slots of %s are not distributed yet; try again in a minute"
                        .formatted(ShownText.of(queue))));
  }
}
