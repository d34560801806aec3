package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SlotPage;
import io.millrace.queuenode.session.store.SessionStore.Effects;
import io.millrace.queuenode.session.store.SlotPageCheck;
import io.millrace.queuenode.store.Change;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores what earlier owners held of slots that this node has got. A part that comes again changes
 * nothing. Blocks on the store; thread-safe.
 */
public final class SlotReception {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotReception.class);

  private final String node;
  private final SessionRules rules;
  private final SessionCommits commits;
  private final SlotKeeper keeper;
  // What was refused last: a sender repeats it.
  private volatile String refused = "";

  /**
   * Receives for a node.
   *
   * @param keeper told of the queue when all of one of its slots has arrived
   */
  public SlotReception(String node, SessionService sessions, SlotKeeper keeper) {
    this.node = node;
    this.rules = sessions.rules();
    this.commits = sessions.commits();
    this.keeper = keeper;
  }

  /**
   * Stores a part.
   *
   * @throws MillraceException INVALID_REQUEST if no node can have sent this; STALE_SLOT or
   *     UNAVAILABLE while this node does not know that it has the slot: the giver repeats it
   */
  public void take(String queue, SlotPage page) {
    rules.require(queue);
    requireSound(queue, page);
    boolean mine =
        rules
            .topology()
            .slots(queue)
            .map(table -> table.owner(page.slot()))
            .filter(
                owner -> owner.node().equals(node) && owner.epoch() == page.sending().ownerEpoch())
            .isPresent();
    if (!mine) {
      throw notMine(queue, page, null);
    }
    try {
      commits.within(Change.lasting(queue, s -> s.take(queue, page)), effects -> effects);
    } catch (MillraceException e) {
      // It may not have taken the slot from the row yet.
      if (e.code() == ErrorCode.UNKNOWN_QUEUE) {
        keeper.arrived(queue);
        throw notMine(queue, page, e);
      }
      if (e.code() == ErrorCode.CONFLICT) {
        keeper.arrived(queue);
        throw new MillraceException(
            ErrorCode.STALE_SLOT, node + ": " + e.getMessage() + "; send it again", e);
      }
      throw e;
    }
    if (page.next() == null) {
      keeper.arrived(queue);
    }
  }

  /**
   * Stores a part that an administrator has read from the disk of a lost node.
   *
   * @param by who sends it
   * @throws MillraceException also CONFLICT while the node is not lost: it sends the part itself
   */
  public void takeRescued(String queue, SlotPage page, String by) {
    rules.require(queue);
    if (!rules.topology().lost(page.from())) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%s is not lost, as far as %s knows, and sends its sessions itself; rescue them only from the disk of a lost node"
              .formatted(page.from(), node));
    }
    requireSound(queue, page);
    long epoch = page.sending().ownerEpoch();
    if (!keeper.holdsFor(queue, page.slot(), epoch, page.from()) && waitsFor(queue, page)) {
      throw new MillraceException(
          ErrorCode.STALE_SLOT,
          "%s has not seen yet that %s is lost, whose workers may still be at work; send it again"
              .formatted(node, page.from()));
    }
    take(queue, page);
    if (page.next() == null) {
      LOGGER.info("{} has sent what {} held of slot {} of {}", by, page.from(), page.slot(), queue);
    }
  }

  private boolean waitsFor(String queue, SlotPage page) {
    return commits.within(Change.of(queue, s -> s.slots(queue)), held -> Effects.NONE).stream()
        .filter(held -> held.slot() == page.slot())
        .anyMatch(held -> held.waiting() && held.undrained().contains(page.from()));
  }

  private void requireSound(String queue, SlotPage page) {
    try {
      SlotPageCheck.require(page);
    } catch (MillraceException e) {
      String problem = queue + ": " + e.getMessage();
      if (!problem.equals(refused)) {
        refused = problem;
        LOGGER.warn("{}", problem);
      }
      throw e;
    }
  }

  private MillraceException notMine(String queue, SlotPage page, Exception cause) {
    return new MillraceException(
        ErrorCode.STALE_SLOT,
        "%s does not have slot %d of %s under epoch %d, as far as it knows; send it again"
            .formatted(node, page.slot(), queue, page.sending().ownerEpoch()),
        cause);
  }
}
