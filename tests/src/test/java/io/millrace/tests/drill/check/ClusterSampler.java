package io.millrace.tests.drill.check;

import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.Overview;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobView;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.FaultTimeline;
import io.millrace.tests.drill.cluster.Uptime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Samples nodes and waiting jobs once a second from any central manager that answers. Notes in the
 * timeline when it was stalled itself, because then the machine was. Keeps the last {@value #MOST}
 * samples. Thread-safe; runs one thread until it is closed.
 */
public final class ClusterSampler implements AutoCloseable {
  /** Seconds between two samples beyond which the time between counts as unknown. */
  public static final double GAP = 8;

  private static final int MOST = 20_000;
  private static final long EVERY_MILLIS = 1_000;
  private static final double STOOD_STILL = 3;
  private static final double ASK_AFTER = 5;
  private static final int MOST_ASKED = 10;

  private final DrillCluster cluster;
  private final List<CentralClient> managers = new ArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "cluster-sampler");
  // Guarded by this.
  private final Deque<ClusterSample> samples = new ArrayDeque<>();
  // The other fields are used only by the thread.
  private Map<Long, Double> waitingSince = Map.of();
  private int next;

  /** Starts immediately; the cluster must be running. */
  public ClusterSampler(DrillCluster cluster) {
    this.cluster = cluster;
    cluster.shape().centralNames().forEach(name -> managers.add(cluster.hasty(name)));
    thread.setDaemon(true);
    thread.start();
  }

  /** The samples since that time, in seconds since boot, in order. */
  public synchronized List<ClusterSample> since(double from) {
    return samples.stream().filter(sample -> sample.at() >= from).toList();
  }

  private synchronized void keep(ClusterSample sample) {
    samples.add(sample);
    if (samples.size() > MOST) {
      samples.remove();
    }
  }

  private void run() {
    try {
      double slept = Uptime.now();
      while (!stopped.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        double woke = Uptime.now();
        if (woke - slept > EVERY_MILLIS / 1e3 + STOOD_STILL) {
          cluster
              .timeline()
              .add(
                  new FaultTimeline.Injected(
                      "the machine was stalled", Set.of(FaultTimeline.MACHINE), slept, woke));
        }
        look();
        slept = Uptime.now();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // The one that answered last is tried first.
  private void look() {
    for (int tried = 0; tried < managers.size(); tried++) {
      try {
        keep(sample(managers.get(next)));
        return;
      } catch (MillraceException away) {
        next = (next + 1) % managers.size();
      }
    }
  }

  private ClusterSample sample(CentralClient manager) {
    Overview overview = manager.overview();
    List<JobView> waiting =
        manager.jobs("state=waiting&limit=1000").jobs().stream()
            .filter(job -> due(job, overview.at()))
            .toList();
    double now = Uptime.now();
    Map<Long, Double> before = waitingSince;
    Map<Long, Double> since = new HashMap<>();
    waiting.forEach(job -> since.put(job.id(), before.getOrDefault(job.id(), now)));
    waitingSince = since;
    Map<Long, Set<WaitCode>> codes = new HashMap<>();
    waiting.stream()
        .map(JobView::id)
        .filter(id -> now - since.get(id) >= ASK_AFTER)
        .sorted(Comparator.comparingDouble(since::get))
        .limit(MOST_ASKED)
        .forEach(id -> codes.put(id, codes(manager, id)));
    return new ClusterSample(
        now,
        overview.at(),
        nodes(overview),
        waiting.stream()
            .map(
                job ->
                    new ClusterSample.WaitingJob(job.id(), codes.getOrDefault(job.id(), Set.of())))
            .toList());
  }

  private static Set<WaitCode> codes(CentralClient manager, long job) {
    return manager.explain(job).reasons().stream()
        .map(WaitReason::code)
        .collect(Collectors.toSet());
  }

  private static boolean due(JobView job, Instant now) {
    return job.notBefore() == null || !job.notBefore().isAfter(now);
  }

  private static List<ClusterSample.Node> nodes(Overview overview) {
    List<ClusterSample.Node> nodes = new ArrayList<>();
    overview
        .queueNodes()
        .forEach(node -> nodes.add(new ClusterSample.Node(node.name(), node.lost(), 0)));
    for (ExecutionNodeView node : overview.executionNodes()) {
      boolean open = node.accepting() && node.status() == NodeStatus.ACTIVE;
      nodes.add(
          new ClusterSample.Node(
              node.name(),
              node.status() == NodeStatus.LOST,
              open ? node.capacity().slots() - node.usedSlots() : 0));
    }
    return nodes;
  }

  @Override
  public void close() {
    stopped.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
