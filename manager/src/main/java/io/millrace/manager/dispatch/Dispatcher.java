package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.PoolDispatch.Round;
import io.millrace.manager.job.WakeUps;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.AdaptiveDelay;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches every pool that has waiting jobs and whose claim this manager obtains (G-05), when
 * woken and periodically. Which claims are held is read from the database in each cycle, never
 * remembered (G-06); the names kept here only serve to release the claims on stop.
 */
public final class Dispatcher implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(Dispatcher.class);
  private static final Duration INTERVAL = Duration.ofMillis(500);
  // Short, so that another central manager soon takes over from one that has died.
  private static final Duration LONGEST_DELAY = Duration.ofMillis(20);
  private static final Duration CLAIM = Duration.ofSeconds(3);

  /** Is told of each round over one pool; thread-safe, and must not block. */
  public interface RoundWatch {
    /** Ignores everything. */
    RoundWatch NONE = (round, nanos) -> {};

    /**
     * A round has ended.
     *
     * @param round its result; empty if it failed
     * @param nanos how long it took
     */
    void ended(Optional<Round> round, long nanos);
  }

  private final PoolDispatch dispatch;
  private final ClaimDao claims;
  private final String claimant;
  private final Set<String> touched = ConcurrentHashMap.newKeySet();
  private final Loop loop;
  private final Clock clock;
  private final RoundWatch watch;
  // Only touched by the loop's thread.
  private final AdaptiveDelay delay;

  public Dispatcher(
      PoolDispatch dispatch,
      ClaimDao claims,
      String claimant,
      Clock clock,
      WakeUps wakeUps,
      RoundWatch watch) {
    this.clock = clock;
    this.watch = watch;
    this.delay = new AdaptiveDelay(clock, LONGEST_DELAY);
    this.dispatch = dispatch;
    this.claims = claims;
    this.claimant = claimant;
    this.loop = new Loop("dispatch", INTERVAL, this::cycle);
    wakeUps.whenReady(loop::wake);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
    for (String resource : touched) {
      try {
        claims.release(resource, claimant);
      } catch (RuntimeException failure) {
        LOGGER.info(
            "claim {} could not be released and will expire: {}", resource, failure.getMessage());
      }
    }
  }

  /** One cycle over all pools; returns how many jobs were placed. */
  int cycle() throws InterruptedException {
    int placed = 0;
    delay.before();
    for (Map.Entry<String, Boolean> pool : dispatch.pools().entrySet()) {
      String resource = "dispatch:" + pool.getKey();
      Optional<Claim> claim = claims.acquireOrRenew(resource, claimant, CLAIM);
      if (claim.isPresent()) {
        touched.add(resource);
        Round round = measured(claim.get(), pool.getKey(), pool.getValue());
        placed += round.placed();
        scheduleNext(round);
      }
    }
    delay.after();
    return placed;
  }

  private Round measured(Claim claim, String pool, boolean expand) {
    long begun = clock.nanoTime();
    Optional<Round> ended = Optional.empty();
    try {
      Round round = dispatch.run(claim, pool, expand);
      ended = Optional.of(round);
      return round;
    } finally {
      watch.ended(ended, clock.nanoTime() - begun);
    }
  }

  private void scheduleNext(Round round) {
    if (round.more()) {
      loop.wake();
    } else if (round.due() != null && round.due().compareTo(INTERVAL) < 0) {
      // Only sets a flag, so it may run on the timer thread of the JDK.
      CompletableFuture.delayedExecutor(
              Math.max(1, round.due().toMillis() + 1), TimeUnit.MILLISECONDS, Runnable::run)
          .execute(loop::wake);
    }
  }
}
