package io.millrace.queuenode.agent;

import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.identity.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Capacity reserved for weight that is about to move to this node: a reservation counts as load
 * until the load is measured, so that several givers do not overload one receiver. Thread-safe;
 * never blocks.
 */
public final class Reservations {
  // Far more than givers ask for within a minute, the longest life of one.
  static final int MAX_KEPT = 1_000;

  private final Supplier<QueueNodeReport> self;
  private final Supplier<Optional<NodeStatus>> status;
  private final DoubleSupplier limit;
  private final Clock clock;
  // Guarded by this.
  private final Map<UUID, Kept> kept = new HashMap<>();

  private record Kept(double load, long untilNanos) {}

  /**
   * Without reservations.
   *
   * @param self supplies this node's current report
   * @param status the status that operators ask for; empty while the database does not know it
   * @param limit utilisation up to which reservations are granted, 0 to 1
   */
  public Reservations(
      Supplier<QueueNodeReport> self,
      Supplier<Optional<NodeStatus>> status,
      DoubleSupplier limit,
      Clock clock) {
    this.self = self;
    this.status = status;
    this.limit = limit;
    this.clock = clock;
  }

  /** Reserves capacity if available; a repeated id is reserved once. */
  public ReservationAnswer reserve(Reservation asked) {
    QueueNodeReport now = self.get();
    Optional<NodeStatus> operatorStatus = status.get();
    synchronized (this) {
      forgetOld();
      if (kept.containsKey(asked.id())) {
        return new ReservationAnswer(true, null);
      }
      Optional<String> refusal =
          closed(now, operatorStatus)
              .or(() -> tooMany(now))
              .or(() -> full(now, loadKept(), asked.load()));
      if (refusal.isEmpty()) {
        kept.put(asked.id(), new Kept(asked.load(), clock.nanoTime() + asked.ttl().toNanos()));
      }
      return new ReservationAnswer(refusal.isEmpty(), refusal.orElse(null));
    }
  }

  /** The reserved load, in units of a standard node's capacity. */
  public synchronized double load() {
    forgetOld();
    return loadKept();
  }

  private double loadKept() {
    return kept.values().stream().mapToDouble(Kept::load).sum();
  }

  private void forgetOld() {
    long now = clock.nanoTime();
    kept.values().removeIf(one -> one.untilNanos() - now <= 0);
  }

  private Optional<String> tooMany(QueueNodeReport now) {
    return kept.size() < MAX_KEPT
        ? Optional.empty()
        : Optional.of(now.name() + " has granted " + MAX_KEPT + " reservations");
  }

  private static Optional<String> closed(QueueNodeReport now, Optional<NodeStatus> status) {
    if (status.isEmpty()) {
      return Optional.of(now.name() + " is not registered yet");
    }
    if (status.get() != NodeStatus.ACTIVE) {
      return Optional.of(now.name() + " is " + status.get());
    }
    NodeState state = now.load().state();
    return state == NodeState.IDLE || state == NodeState.NORMAL
        ? Optional.empty()
        : Optional.of(now.name() + " is " + state + ": " + now.load().reason());
  }

  private Optional<String> full(QueueNodeReport now, double reserved, double coming) {
    NodeLoad load = now.load();
    double expected = load.load() + (reserved + coming) / now.capacity();
    double max = limit.getAsDouble();
    return expected <= max
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%s is at %.2f with %.2f reserved; %.2f more would bring it above %.2f",
                now.name(),
                load.load(),
                reserved / now.capacity(),
                coming / now.capacity(),
                max));
  }

  /** Requests reservations from receivers. Thread-safe. */
  public interface ReservationClient {
    /**
     * Asks a receiver to reserve capacity. Blocks for at most some seconds; no answer counts as a
     * refusal.
     */
    ReservationAnswer reserve(QueueNodeAddress receiver, Reservation reservation);

    /** Requests reservations over HTTP in the node's name. Thread-safe. */
    final class HttpReservationClient implements ReservationClient {
      private final NodeCalls calls;

      public HttpReservationClient(NodeCalls calls) {
        this.calls = calls;
      }

      @Override
      public ReservationAnswer reserve(QueueNodeAddress receiver, Reservation reservation) {
        Endpoints endpoint = new Endpoints(List.of(receiver.address()));
        HttpTransport signed = calls.to(Role.QUEUE_NODE, receiver.name());
        try {
          return new QueueClient(new ApiClient(signed, endpoint, () -> null)).reserve(reservation);
        } catch (MillraceException e) {
          return new ReservationAnswer(
              false, receiver.name() + " did not answer: " + e.getMessage());
        }
      }
    }
  }
}
