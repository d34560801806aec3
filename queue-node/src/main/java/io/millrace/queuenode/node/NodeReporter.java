package io.millrace.queuenode.node;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.membership.ClusterView;
import io.millrace.queuenode.session.NodeLease;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports once a second to the cluster view and to any central manager, each on its own thread: a
 * manager that does not answer must not make the node appear dead to its neighbours.
 */
public final class NodeReporter implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeReporter.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final String node;
  private final Supplier<QueueNodeReport> reports;
  private final ClusterView view;
  private final CentralClient central;
  private final RequestNumbers numbers;
  private final NodeLease lease;
  private final Runnable refresh;
  private final Loop published;
  private final Loop sent;
  private volatile boolean heard;
  // Only touched by the thread of `sent`.
  private boolean away;

  /**
   * A reporter that has not started; the view is the caller's to start and stop.
   *
   * @param numbers by which a central manager refuses a report that arrives after a newer one
   * @param lease extended by each report that a central manager accepts
   * @param refresh follows the topology as a central manager knows it now, before a lease begins;
   *     blocks
   */
  public NodeReporter(
      String node,
      Supplier<QueueNodeReport> reports,
      ClusterView view,
      CentralClient central,
      RequestNumbers numbers,
      NodeLease lease,
      Runnable refresh) {
    this.lease = lease;
    this.refresh = refresh;
    this.node = node;
    this.reports = reports;
    this.view = view;
    this.central = central;
    this.numbers = numbers;
    this.published = new Loop(node + "-publish", EVERY, this::publish);
    this.sent = new Loop(node + "-report", EVERY, this::send);
  }

  /** This goes to every member every second. */
  private void publish() {
    view.publish(ClusterView.QUEUE_NODES, node, Json.write(reports.get().brief()));
  }

  /** Whether a central manager accepted the last report; never blocks. */
  public boolean heard() {
    return heard;
  }

  private void send() {
    try {
      QueueNodeReport report = reports.get();
      long begun = lease.now();
      Optional<Duration> lasting = central.report(report, numbers.next());
      heard = true;
      if (away) {
        LOGGER.info("{} is reporting to the central managers again", node);
        away = false;
      }
      if (!lease.extended(begun, lasting)) {
        begin(begun, lasting);
      }
    } catch (MillraceException e) {
      heard = false;
      // An interrupt means that the node is stopping, and is not logged.
      if (!away && !Thread.currentThread().isInterrupted()) {
        LOGGER.warn(
            "{} cannot report to the central managers and continues without them: {}",
            node,
            e.getMessage());
        away = true;
      }
    }
  }

  private void begin(long begun, Optional<Duration> lasting) {
    try {
      refresh.run();
      lease.begins(begun, lasting);
    } catch (MillraceException e) {
      LOGGER.debug("{} does not know its slots yet; it asks again after its next report", node, e);
    }
  }

  @Override
  public void start() {
    published.start();
    sent.start();
  }

  @Override
  public void stop() {
    sent.stop();
    published.stop();
    view.withdraw(ClusterView.QUEUE_NODES, node);
  }
}
