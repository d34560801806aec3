package io.millrace.tests.drill.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.tests.drill.check.Availability;
import io.millrace.tests.drill.check.ClusterSampler;
import io.millrace.tests.drill.check.RunJournal;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.FaultInjector;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.LongRun;
import io.millrace.tests.drill.cluster.PlannedFault;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.jobs.DrillJob.Rule;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Rounds of jobs and faults, each followed by a check. Used by one thread. */
final class JobDrill implements AutoCloseable {
  // While faults are in effect, waves of as many jobs are submitted.
  private static final Duration WAVE = Duration.ofSeconds(20);
  private static final int WAVE_PLAIN = 6;
  private static final Duration ENDED_WITHIN = Duration.ofMinutes(5);
  private static final Duration GONE_WITHIN = Duration.ofSeconds(30);
  private static final Duration SAMPLED_WITHIN = Duration.ofSeconds(30);

  private final DrillCluster cluster;
  private final JournalScript script;
  private final FaultInjector injector;
  private ClusterSampler sampler;
  private int rounds;
  private int jobs;
  private int attempts;

  JobDrill(DrillCluster cluster) throws IOException {
    this.cluster = cluster;
    this.script = new JournalScript(cluster.folder());
    this.injector = new FaultInjector(cluster);
    try {
      cluster.start();
      central().license(JobMix.LICENCE, JobMix.LICENCES);
      sampler = new ClusterSampler(cluster);
    } catch (RuntimeException | AssertionError e) {
      close();
      throw e;
    }
  }

  /**
   * One round: jobs and faults at the same time, recovery, all jobs to their end, the check.
   *
   * @param tally receives the count of each fault
   * @throws AssertionError with all violations
   */
  void round(long seed, int plain, List<PlannedFault> plan, FaultTally tally) throws Exception {
    Random random = new Random(seed);
    rounds++;
    String words = LongRun.words(plan);
    long began = System.nanoTime();
    double from = sampledAt();
    CompletableFuture<Void> trouble = injector.begin(plan, tally);
    List<AcceptedJob> submitted =
        new ArrayList<>(submit(new JobMix(script, random, "r" + rounds).drafts(plain)));
    for (int wave = 1; !over(trouble); wave++) {
      String name = "r" + rounds + "w" + wave;
      submitted.addAll(submit(new JobMix(script, random, name).drafts(WAVE_PLAIN)));
    }
    trouble.join();
    cluster.links().heal();
    cluster.awaitEverybody();
    cancelWhatNeverEnds(submitted);
    awaitEnds(submitted);
    List<RecordedJobs> files = submitted.stream().map(this::file).toList();
    awaitNobodyLeft();
    count(files);
    System.out.printf(
        "job drill round %d: %s; %d jobs, %d attempts, %.0f s%n",
        rounds,
        words,
        files.size(),
        files.stream()
            .flatMap(file -> file.runnable().stream())
            .mapToInt(one -> one.attempts().size())
            .sum(),
        (System.nanoTime() - began) / 1e9);
    assertThat(violations(files, from))
        .as("round %d: %s; injected: %s", rounds, words, cluster.timeline().all())
        .isEmpty();
  }

  /**
   * The time of a sample of about now. Samples map the database's times to those of the faults: an
   * attempt that was recorded before the first sample of its round would count as undisturbed.
   */
  private double sampledAt() {
    return await("a sample of about now")
        .atMost(SAMPLED_WITHIN)
        .until(() -> sampler.since(Uptime.now() - 1), samples -> !samples.isEmpty())
        .get(0)
        .at();
  }

  private List<String> violations(List<RecordedJobs> files, double from) throws IOException {
    sampledAt();
    RunJournal journal = RunJournal.read(script.journal());
    RoundRecord record =
        new RoundRecord(
            journal,
            files,
            sampler.since(from),
            new Availability(cluster.timeline().all(), cluster.shape().centralNames()),
            central().executionNodes());
    List<String> violations = new ArrayList<>(JobChecker.violations(journal, files));
    violations.addAll(record.violations());
    return violations;
  }

  /** Whether the faults end before the next wave of jobs is due. */
  private static boolean over(CompletableFuture<Void> trouble)
      throws InterruptedException, ExecutionException {
    try {
      trouble.get(WAVE.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private List<AcceptedJob> submit(List<DrillJob> drafts) {
    Submitter submitter = new Submitter(cluster);
    List<AcceptedJob> submitted = new ArrayList<>();
    drafts.forEach(draft -> submitted.add(submitter.submit(draft)));
    return submitted;
  }

  private void cancelWhatNeverEnds(List<AcceptedJob> submitted) {
    submitted.stream()
        .filter(one -> one.draft().rule() == Rule.RESTARTED)
        .forEach(one -> central().cancel(one.id()));
  }

  private void awaitEnds(List<AcceptedJob> submitted) {
    await("every job ends")
        .atMost(ENDED_WITHIN)
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .untilAsserted(
            () ->
                assertThat(submitted)
                    .extracting(one -> central().job(one.id()).job())
                    .allMatch(job -> job.state().ended()));
  }

  private void awaitNobodyLeft() {
    await("no process is left over")
        .atMost(GONE_WITHIN)
        .untilAsserted(() -> assertThat(script.processes().left()).isEmpty());
  }

  private RecordedJobs file(AcceptedJob submitted) {
    JobDetails details = central().job(submitted.id());
    List<JobDetails> elements = new ArrayList<>();
    if (submitted.draft().rule() == Rule.ARRAY) {
      JobPage page = central().jobs("array=" + submitted.id() + "&limit=1000");
      for (JobView element : page.jobs()) {
        elements.add(central().job(element.id()));
      }
    }
    return new RecordedJobs(submitted, details, elements);
  }

  private void count(List<RecordedJobs> files) {
    for (RecordedJobs file : files) {
      for (JobDetails job : file.runnable()) {
        jobs++;
        attempts += job.attempts().size();
      }
    }
  }

  private CentralClient central() {
    return cluster.central("c1");
  }

  /** A summary of all rounds in one line. */
  String summary() {
    return "job drill: %d rounds, %d jobs, %d attempts, no violation"
        .formatted(rounds, jobs, attempts);
  }

  @Override
  public void close() throws IOException {
    try (cluster) {
      injector.close();
      if (sampler != null) {
        sampler.close();
      }
    }
  }
}
