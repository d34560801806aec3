package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.store.Change;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Stores what earlier owners held of slots that this node has got. A part that comes again changes
 * nothing. Blocks on the store; thread-safe.
 */
public final class SlotReception {
  private final String node;
  private final SessionRules rules;
  private final SessionCommits commits;
  private final Consumer<String> arrived;

  /**
   * Receives for a node.
   *
   * @param arrived told of the queue when all of one of its slots has arrived; must not block
   */
  public SlotReception(String node, SessionService sessions, Consumer<String> arrived) {
    this.node = node;
    this.rules = sessions.rules();
    this.commits = sessions.commits();
    this.arrived = arrived;
  }

  /**
   * Stores a part.
   *
   * @throws MillraceException STALE_SLOT or UNAVAILABLE while this node does not know that it has
   *     the slot: the giver repeats it
   */
  public void take(String queue, SlotPage page) {
    rules.require(queue);
    FollowedTopology now = rules.topology();
    SlotOwner owner =
        now.slots(queue)
            .map(table -> table.owner(page.slot()))
            .filter(one -> one.node().equals(node) && one.epoch() > page.epoch())
            .orElseThrow(() -> notMine(queue, page));
    HeldSlot held = held(queue, page.slot());
    if (held == null || held.epoch() != owner.epoch()) {
      arrived.accept(queue);
      throw notMine(queue, page);
    }
    if (!held.undrained().contains(page.from())) {
      // It has arrived before, and the giver did not hear of it.
      return;
    }
    commits.within(Change.lasting(queue, s -> s.take(queue, page)), effects -> effects);
    if (page.next() == null) {
      arrived.accept(queue);
    }
  }

  private HeldSlot held(String queue, int slot) {
    return Optional.of(commits.always(Change.of(queue, s -> s.slots(queue)))).stream()
        .flatMap(slots -> slots.stream())
        .filter(one -> one.slot() == slot)
        .findFirst()
        .orElse(null);
  }

  private MillraceException notMine(String queue, SlotPage page) {
    return new MillraceException(
        ErrorCode.STALE_SLOT,
        "%s does not have slot %d of %s after epoch %d yet, as far as it knows; send it again"
            .formatted(node, page.slot(), queue, page.epoch()));
  }
}
