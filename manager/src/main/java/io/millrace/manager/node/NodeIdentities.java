package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.manager.node.IdentityDao.IdentityRow;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.BoundedCache;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.ServerIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The identities of the nodes that have joined. A name belongs to one of them; one that was
 * withdrawn is never accepted again. Thread-safe; blocks on the database.
 */
public final class NodeIdentities {
  /** How long an accepted identity is not looked up again, so also how soon a withdrawal works. */
  static final Duration CACHED = Duration.ofSeconds(5);

  private static final int MAX_CACHED = 10_000;
  private static final String BY_THE_KEY = "holder of the cluster key";

  private final Database database;
  private final DatabaseTime time;
  private final Clock clock;
  // When each was accepted last, in monotonic nanoseconds.
  private final BoundedCache<UUID, Long> accepted = new BoundedCache<>(MAX_CACHED);

  public NodeIdentities(Database database, Clock clock) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.clock = clock;
  }

  /**
   * Accepts the calls of a node whose certificate and signature are valid. One that was certified
   * where the cluster's key is, without a join, is recorded at its first call.
   *
   * @throws MillraceException FORBIDDEN if its identity was withdrawn, CONFLICT if its name belongs
   *     to another node
   */
  public void require(Principal node) {
    UUID id = node.node().orElseThrow();
    boolean recent =
        accepted.get(id).filter(at -> clock.nanoTime() - at < CACHED.toNanos()).isPresent();
    if (!recent) {
      ServerIdentity identity = new ServerIdentity(node.role(), node.subject(), id);
      accept(database.read(handle -> IdentityDao.find(handle, id)), identity);
      accepted.put(id, clock.nanoTime());
    }
  }

  private void accept(Optional<IdentityRow> known, ServerIdentity node) {
    if (known.isEmpty()) {
      // Requests of the same node may arrive together, also at several central managers.
      Optional<IdentityRow> recorded =
          database.transaction(
              handle -> {
                insert(handle, node, BY_THE_KEY, time.now(handle));
                return IdentityDao.find(handle, node.id());
              });
      if (recorded.isEmpty()) {
        throw database
            .transaction(handle -> IdentityDao.lockByName(handle, node.name()))
            .map(NodeIdentities::taken)
            .orElseGet(() -> ServerIdentity.withdrawn(node.role(), node.name(), node.id()));
      }
      accept(recorded, node);
    } else if (known.get().withdrawn() || !known.get().identity().equals(node)) {
      throw ServerIdentity.withdrawn(node.role(), node.name(), node.id());
    }
  }

  /**
   * Records a node that joins, in the transaction that uses up its join token.
   *
   * @param takesOver whether the node that has the name loses it
   * @throws MillraceException CONFLICT if another node has the name
   */
  void add(Handle handle, ServerIdentity node, String madeBy, boolean takesOver, Instant now) {
    if (takesOver) {
      IdentityDao.lockByName(handle, node.name())
          .ifPresent(holder -> IdentityDao.withdraw(handle, holder.identity().id(), now));
    }
    if (!insert(handle, node, madeBy, now)) {
      throw IdentityDao.lockByName(handle, node.name())
          .map(NodeIdentities::taken)
          .orElseThrow(() -> new IllegalStateException("an ID was generated twice: " + node));
    }
  }

  private static boolean insert(Handle handle, ServerIdentity node, String madeBy, Instant now) {
    return IdentityDao.insert(handle, node.id(), node.name(), node.role().label(), madeBy, now);
  }

  private static MillraceException taken(IdentityRow holder) {
    ServerIdentity node = holder.identity();
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name %s belongs to the %s with the ID %s; use another name, or withdraw that identity with 'millrace identity withdraw %s'"
            .formatted(node.name(), node.role().label(), node.id(), node.name()));
  }

  /** All valid identities, by name. */
  public List<NodeIdentityView> list() {
    return database.read(IdentityDao::list).stream()
        .map(
            row ->
                new NodeIdentityView(
                    row.identity().name(),
                    row.identity().role().label(),
                    row.identity().id(),
                    row.madeBy(),
                    row.joinedAt()))
        .toList();
  }

  /** The ids of all withdrawn identities, which stay withdrawn for ever. */
  public List<UUID> withdrawn() {
    return database.read(IdentityDao::withdrawn);
  }

  /**
   * Withdraws the identity of a node: all servers refuse its calls within seconds, for ever.
   *
   * @throws MillraceException UNKNOWN_NODE if no node has the name
   */
  public void withdraw(String name) {
    database.transaction(
        handle -> {
          IdentityRow holder =
              IdentityDao.lockByName(handle, name)
                  .orElseThrow(
                      () ->
                          new MillraceException(
                              ErrorCode.UNKNOWN_NODE,
                              "no node has joined under the name %s; 'millrace identity list' shows all"
                                  .formatted(name)));
          IdentityDao.withdraw(handle, holder.identity().id(), time.now(handle));
          return null;
        });
  }
}
