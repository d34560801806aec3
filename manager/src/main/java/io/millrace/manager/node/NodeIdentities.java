package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.manager.node.IdentityDao.IdentityRow;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.AgedCache;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identities of the nodes that have joined. A name belongs to one of them; one that was
 * withdrawn is never accepted again. Thread-safe; blocks on the database.
 */
public final class NodeIdentities {
  /** How long an accepted identity is not looked up again, so also how soon a withdrawal works. */
  static final Duration CACHED = Duration.ofSeconds(5);

  /** How long a node with a new identity may take to register. */
  private static final Duration REGISTERS_WITHIN = Duration.ofMinutes(1);

  private static final Logger LOGGER = LoggerFactory.getLogger(NodeIdentities.class);
  private static final int MAX_CACHED = 10_000;
  private static final int MAX_LISTED = 1_000;
  private static final String BY_THE_KEY = "holder of the cluster key";

  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final Clock clock;
  private final AgedCache<UUID, Boolean> accepted;

  public NodeIdentities(Database database, Clock clock) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.clock = clock;
    this.accepted = new AgedCache<>(MAX_CACHED, clock);
  }

  /**
   * Accepts the calls of a node whose certificate and signature are valid. One that was certified
   * where the cluster's key is, without a join, is recorded at its first call; its name is taken
   * over from the identity that it had before, once that is lost.
   *
   * @throws MillraceException FORBIDDEN if its identity was withdrawn, CONFLICT if its name belongs
   *     to another node
   */
  public void require(Principal node) {
    UUID id = node.node().orElseThrow();
    if (!heardWithin(id, CACHED)) {
      long readAt = clock.nanoTime();
      NodeIdentity identity = new NodeIdentity(node.role(), node.subject(), id);
      accept(database.read(handle -> IdentityDao.find(handle, id)), identity);
      accepted.put(id, true, readAt);
    }
  }

  private void accept(Optional<IdentityRow> known, NodeIdentity node) {
    if (known.isEmpty()) {
      // Requests of the same node may arrive together, also at several central managers.
      Recorded recorded = database.transaction(handle -> record(handle, node));
      recorded.former().ifPresent(former -> warn(former, node));
      if (recorded.own().isEmpty()) {
        throw database
            .transaction(handle -> IdentityDao.lockByName(handle, node.name()))
            .map(NodeIdentities::notTakenOver)
            .orElseGet(() -> NodeIdentity.withdrawn(node.role(), node.name(), node.id()));
      }
      accept(recorded.own(), node);
    } else if (known.get().withdrawn() || !known.get().identity().equals(node)) {
      throw NodeIdentity.withdrawn(node.role(), node.name(), node.id());
    }
  }

  /**
   * What was recorded of a node that was certified with the cluster's key.
   *
   * @param own empty if another node keeps the name
   * @param former the identity that lost the name to it
   */
  private record Recorded(Optional<IdentityRow> own, Optional<IdentityRow> former) {}

  private Recorded record(Handle handle, NodeIdentity node) {
    Instant now = time.now(handle);
    Optional<IdentityRow> former = Optional.empty();
    if (!insert(handle, node, BY_THE_KEY, now)) {
      former =
          IdentityDao.lockByName(handle, node.name())
              .filter(holder -> isFormer(handle, holder, node, now));
      former.ifPresent(
          holder -> {
            IdentityDao.withdraw(handle, holder.identity().id(), BY_THE_KEY, now);
            insert(handle, node, BY_THE_KEY, now);
          });
    }
    return new Recorded(IdentityDao.find(handle, node.id()), former);
  }

  /**
   * Whether the holder of the name is what the node itself was before it lost its files: certified
   * with the cluster's key, too, in the same role, and no longer heard.
   */
  private boolean isFormer(Handle handle, IdentityRow holder, NodeIdentity node, Instant now) {
    UUID id = holder.identity().id();
    return holder.madeBy().equals(BY_THE_KEY)
        && holder.identity().role() == node.role()
        && !id.equals(node.id())
        && nodes
            .find(handle, id)
            .map(NodeRow::lost)
            // Forgotten, unless it is just starting.
            .orElseGet(
                () ->
                    holder.joinedAt().plus(REGISTERS_WITHIN).isBefore(now)
                        && !heardWithin(id, REGISTERS_WITHIN));
  }

  private boolean heardWithin(UUID id, Duration time) {
    return accepted.within(time, id).orElse(false);
  }

  private static void warn(IdentityRow former, NodeIdentity node) {
    LOGGER.warn(
        "{} {} has lost its data directory or its identity: it is now {}; its former identity, {}, is withdrawn",
        node.role().label(),
        node.name(),
        node.id(),
        former.identity().id());
  }

  /**
   * Records a node that joins, in the transaction that uses up its join token. One that has lost
   * its key, but not its data directory, keeps its identity if it takes over its own name.
   *
   * @param takesOver whether the node of the same role that has the name loses it
   * @throws MillraceException CONFLICT if another node has the name and keeps it, or has the ID, or
   *     the ID was withdrawn
   */
  void add(Handle handle, NodeIdentity node, String madeBy, boolean takesOver, Instant now) {
    Optional<IdentityRow> same = IdentityDao.find(handle, node.id());
    if (takesOver && same.filter(row -> isSame(row, node)).isPresent()) {
      return;
    }
    same.ifPresent(row -> refuse(row, node));
    nodes.find(handle, node.id()).ifPresent(row -> NodeNames.requireSameName(row, node));
    if (takesOver) {
      // A node of another role keeps its name: insert refuses the new one.
      IdentityDao.lockByName(handle, node.name())
          .map(IdentityRow::identity)
          .filter(holder -> holder.role() == node.role())
          .ifPresent(holder -> IdentityDao.withdraw(handle, holder.id(), madeBy, now));
    }
    if (!insert(handle, node, madeBy, now)) {
      throw IdentityDao.lockByName(handle, node.name())
          .map(NodeIdentities::taken)
          .orElseThrow(() -> idTaken(node));
    }
  }

  private static boolean isSame(IdentityRow row, NodeIdentity node) {
    return !row.withdrawn() && row.identity().equals(node);
  }

  private static void refuse(IdentityRow row, NodeIdentity node) {
    if (row.withdrawn()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the ID %s in the data directory of %s was permanently withdrawn; delete node-id there and join again: the node then gets a new ID (a queue node keeps its events, an execution node gives up results that it has not reported)"
              .formatted(node.id(), node.name()));
    }
    throw row.identity().name().equals(node.name()) ? taken(row) : idTaken(node);
  }

  private static MillraceException idTaken(NodeIdentity node) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the ID %s of the data directory of %s belongs to another node; use the name of that node, or another data directory"
            .formatted(node.id(), node.name()));
  }

  /** An identity that is valid; empty for any other. */
  Optional<NodeIdentity> valid(Handle handle, UUID id) {
    return IdentityDao.find(handle, id).filter(row -> !row.withdrawn()).map(IdentityRow::identity);
  }

  private static boolean insert(Handle handle, NodeIdentity node, String madeBy, Instant now) {
    return IdentityDao.insert(handle, node.id(), node.name(), node.role().label(), madeBy, now);
  }

  private static MillraceException taken(IdentityRow holder) {
    NodeIdentity node = holder.identity();
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name %s belongs to the %s with the ID %s; use another name, or replace that node with a token of 'millrace token join --role %s --name %s --replace'"
            .formatted(
                node.name(), node.role().label(), node.id(), node.role().label(), node.name()));
  }

  /** The answer to a node with a valid certificate whose name another one keeps. */
  private static MillraceException notTakenOver(IdentityRow holder) {
    NodeIdentity node = holder.identity();
    String wait =
        holder.madeBy().equals(BY_THE_KEY)
            ? "stop that node and wait until it is lost, or use another name"
            : "use another name, or withdraw that identity with 'millrace identity withdraw "
                + node.name()
                + "'";
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name %s belongs to the %s with the ID %s; %s"
            .formatted(node.name(), node.role().label(), node.id(), wait));
  }

  /** All valid identities, by name. */
  public List<NodeIdentityView> list() {
    return database.read(IdentityDao::list).stream().map(NodeIdentities::view).toList();
  }

  /** All valid identities, by name, and then those that were withdrawn last, the newest first. */
  public List<NodeIdentityView> all() {
    return database.read(
        handle ->
            Stream.concat(
                    IdentityDao.list(handle).stream(),
                    IdentityDao.listWithdrawn(handle, MAX_LISTED).stream())
                .map(NodeIdentities::view)
                .toList());
  }

  private static NodeIdentityView view(IdentityRow row) {
    NodeIdentity node = row.identity();
    return new NodeIdentityView(
        node.name(),
        node.role().label(),
        node.id(),
        row.madeBy(),
        row.joinedAt(),
        row.withdrawnBy(),
        row.withdrawnAt());
  }

  /** The ids of all withdrawn identities, which stay withdrawn for ever. */
  public List<UUID> withdrawn() {
    return database.read(IdentityDao::withdrawn);
  }

  /**
   * Withdraws the identity of a node: all servers refuse its calls within seconds, for ever. A
   * queue node is lost at once: its points move to others.
   *
   * @param who is recorded
   * @throws MillraceException UNKNOWN_NODE if no node has the name
   */
  public void withdraw(String name, String who) {
    NodeIdentity node =
        database.transaction(
            handle -> {
              IdentityRow holder =
                  IdentityDao.lockByName(handle, name).orElseThrow(() -> unknown(name));
              IdentityDao.withdraw(handle, holder.identity().id(), who, time.now(handle));
              return holder.identity();
            });
    // This central manager refuses it from now on, the others when they look it up again.
    accepted.put(node.id(), false, clock.nanoTime());
    LOGGER.warn("{} withdrew the identity {} of {}", who, node.id(), node.audience());
  }

  private static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "no node with a valid identity has the name %s; 'millrace identity list --all' shows all identities"
            .formatted(ShownText.of(name)));
  }
}
