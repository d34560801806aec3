package io.millrace.tests.drill.jobs;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.tests.drill.jobs.DrillJob.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The jobs of one round: short, long, retried, single-instance, in lanes, in arrays. */
final class JobMix {
  /** The licence that some jobs need, one each. */
  static final String LICENCE = "drill-licence";

  /** The number of licences: fewer than the jobs that request one. */
  static final int LICENCES = 2;

  private static final Map<String, Integer> ONE_LICENCE = Map.of(LICENCE, 1);
  private static final RetryPolicy NO_LOSS =
      new RetryPolicy(
          2, null, null, EnumSet.complementOf(EnumSet.of(FailureKind.NODE_LOST)), null, null);
  private static final int LANES = 2;
  // Ensures that most faults of execution nodes hit work.
  private static final int LONG = 4;

  private final JournalScript script;
  private final Random random;
  private final String round;
  private int number;

  JobMix(JournalScript script, Random random, String round) {
    this.script = script;
    this.random = random;
    this.round = round;
  }

  /** That many plain jobs and some of each other kind, in submission order. */
  List<DrillJob> drafts(int plain) {
    List<DrillJob> drafts = new ArrayList<>();
    for (int i = 0; i < plain; i++) {
      drafts.add(plainJob());
    }
    for (int i = 0; i < LONG; i++) {
      drafts.add(draft(Rule.PLAIN, job("long", 15 + random.nextInt(15), 0)));
    }
    Collections.shuffle(drafts, random);
    drafts.add(0, array());
    drafts.add(0, restarted());
    for (int lane = 0; lane < LANES; lane++) {
      for (int i = 0; i < 5; i++) {
        drafts.add(random.nextInt(drafts.size() + 1), inLane("lane-" + round + "-" + lane));
      }
    }
    for (int i = 0; i < 3; i++) {
      drafts.add(random.nextInt(drafts.size() + 1), single("single-" + round + "-" + i));
    }
    return drafts;
  }

  private DrillJob plainJob() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> draft(Rule.PLAIN, job("long", 5 + random.nextInt(20), 0));
      case 2 -> flaky();
      case 3 -> draft(Rule.FRAGILE, job("fragile", 2 + random.nextInt(15), 0).retry(NO_LOSS));
      case 4 ->
          draft(Rule.PLAIN, job("wide", 2 + random.nextInt(10), 0).slots(2 + random.nextInt(3)));
      case 5 -> draft(Rule.PLAIN, job("licensed", 2 + random.nextInt(10), 0).licences(ONE_LICENCE));
      default -> draft(Rule.PLAIN, job("short", 0, 0));
    };
  }

  // Exactly as many retries as it needs: one wrongly charged retry fails it.
  private DrillJob flaky() {
    int failures = 1 + random.nextInt(3);
    RetryPolicy retry = RetryPolicy.upTo(failures, Duration.ofMillis(200), Duration.ofSeconds(2));
    return draft(Rule.PLAIN, job("flaky", 1, failures).retry(retry));
  }

  private DrillJob array() {
    return draft(Rule.ARRAY, job("array", 1, 0).array(ArrayRange.parse("1-30%6")));
  }

  private DrillJob restarted() {
    String name = "restarted-" + round;
    return draft(Rule.RESTARTED, job(name, 12, 0).single(name).restart(true));
  }

  private DrillJob inLane(String lane) {
    return draft(Rule.LANE, job(lane, 1 + random.nextInt(3), 0).lane(lane).retry(retries()));
  }

  private DrillJob single(String name) {
    return draft(Rule.SINGLE, job(name, 10 + random.nextInt(20), 0).single(name).retry(retries()));
  }

  private JobDraft job(String name, int beats, int failures) {
    return JobDraft.command(script.command(name, beats, failures))
        .env(script.environment())
        .name(name + "-" + ++number);
  }

  private static DrillJob draft(Rule rule, JobDraft job) {
    return new DrillJob(rule, job.grace(Duration.ofSeconds(1)).spec());
  }

  private static RetryPolicy retries() {
    return RetryPolicy.upTo(5, Duration.ofMillis(200), Duration.ofSeconds(2));
  }
}
