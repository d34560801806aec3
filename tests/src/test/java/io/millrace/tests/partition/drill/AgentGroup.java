package io.millrace.tests.partition.drill;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.PartitionCoordinator;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The agents of one group, each with a thread while it polls, and one thread for all heartbeats.
 */
final class AgentGroup implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration INTERVAL = Duration.ofDays(1);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final Duration BEAT = Duration.ofMillis(800);

  private final String name;
  private final CentralClient central;
  private final List<String> resources;
  private final Runnable nextDay;
  private final List<Agent> agents = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledExecutorService heartbeats = Executors.newSingleThreadScheduledExecutor();
  private final Future<?> beats;
  private long cycle;

  /**
   * A group that polls once a day.
   *
   * @param nextDay moves the last cycle back by a day
   */
  AgentGroup(String name, CentralClient central, List<String> resources, Runnable nextDay) {
    this.name = name;
    this.central = central;
    this.resources = resources;
    this.nextDay = nextDay;
    beats =
        heartbeats.scheduleWithFixedDelay(this::beat, 0, BEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void beat() {
    agents.forEach(Agent::beat);
  }

  /** Adds a member that is lost after that time without a heartbeat. */
  Agent join(String member, Duration ttl) {
    Agent agent = new Agent(member, new PartitionCoordinator(central, name, member, ttl));
    agent.beat();
    agents.add(agent);
    return agent;
  }

  /** Removes an agent that has left or vanished. */
  void gone(Agent agent) {
    agents.remove(agent);
  }

  List<Agent> agents() {
    return List.copyOf(agents);
  }

  /** The answer to a member that joined in the middle of a cycle. */
  NextAnswer ask(Agent agent) {
    return agent.begin(resources, INTERVAL);
  }

  /** Begins the next cycle and lets all agents poll. */
  List<Future<?>> begin(CycleJournal journal) {
    return List.copyOf(beginByAgent(journal).values());
  }

  /** The same, by agent. */
  Map<Agent, Future<?>> beginByAgent(CycleJournal journal) {
    nextDay.run();
    long before = cycle;
    cycle = ask(agents.get(0)).cycle();
    if (cycle != before + 1) {
      throw new AssertionError("cycle " + cycle + " after " + before);
    }
    Map<Agent, Future<?>> polling = new LinkedHashMap<>();
    for (Agent agent : agents) {
      polling.put(agent, threads.submit(() -> agent.poll(journal, resources, INTERVAL)));
    }
    return polling;
  }

  /** Waits until no agent has anything left to do in the cycle. */
  PartitionCycle end(List<Future<?>> polling)
      throws InterruptedException, ExecutionException, TimeoutException {
    long begin = System.nanoTime();
    while (!polling.stream().allMatch(Future::isDone)) {
      // If one failed, the others wait for its resources.
      failed(polling);
      if (System.nanoTime() - begin > LONG.toNanos()) {
        throw new TimeoutException("cycle " + cycle + " has not ended");
      }
      new Waiter().await(LOOK);
    }
    failed(polling);
    PartitionCycle last = central.partitions().show(name).cycles().get(0);
    if (last.number() != cycle) {
      throw new AssertionError("cycle " + last.number() + " began in the middle of " + cycle);
    }
    return last;
  }

  private static void failed(List<Future<?>> polling)
      throws InterruptedException, ExecutionException {
    for (Future<?> one : polling) {
      if (one.isDone()) {
        one.get();
      }
    }
  }

  @Override
  public void close() {
    beats.cancel(false);
    heartbeats.shutdownNow();
    threads.shutdownNow();
    agents.forEach(Agent::leave);
  }
}
