package io.millrace.cli.startup;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobCounts;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.cli.invocation.Connection.LoginLink;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the rehearsal's server answers: one job, one queue, one load balancer. */
final class RehearsalAnswers {
  private static final Instant THEN = Instant.EPOCH;
  private static final JobCounts COUNTS = new JobCounts(0, 0, 1, 0, 0);

  /** The body for a path with its query; {@code port} is where the load balancer is to be. */
  byte[] to(String path, int port) {
    if (path.contains("/logs?")) {
      return "words\n".getBytes(StandardCharsets.UTF_8);
    }
    return Json.writeBytes(value(path, port));
  }

  private static Object value(String path, int port) {
    if (path.endsWith("/404")) {
      return Problem.of(ErrorCode.UNKNOWN_JOB, "there is no job 404");
    }
    if (path.endsWith("/events")) {
      return new SendAnswer("q", "b", 1, false, "q1");
    }
    if (path.endsWith("/overview")) {
      return overview(port);
    }
    if (path.startsWith("/v1/queues/")) {
      return queueDetails();
    }
    if (path.equals("/v1/login-codes")) {
      return new LoginLink("c", "http://127.0.0.1/login/c");
    }
    if (path.equals("/v1/problems")) {
      return List.of();
    }
    return path.startsWith("/v1/jobs") ? jobs(path) : Map.of();
  }

  private static Object jobs(String path) {
    if (path.equals("/v1/jobs/actions")) {
      return new JobActionAnswer(1, 1, List.of());
    }
    if (path.endsWith("/explanation")) {
      WaitSpan span = new WaitSpan(WaitCode.NO_SLOT, "no slot", THEN, THEN);
      return new JobExplanation(job(), List.of(), List.of(), List.of(span));
    }
    if (path.startsWith("/v1/jobs?")) {
      return new JobPage(List.of(job()), 1L);
    }
    return path.equals("/v1/jobs/1") ? jobDetails() : job();
  }

  private static Overview overview(int port) {
    BalancerReport balancer =
        new BalancerReport(new UUID(0, 1), "b1", URI.create("http://127.0.0.1:" + port), 0, 0);
    return new Overview(
        THEN,
        "1",
        List.of(),
        List.of(),
        List.of(balancer),
        List.of(queue()),
        COUNTS,
        COUNTS,
        List.of());
  }

  private static QueueView queue() {
    return new QueueView(
        "q",
        1,
        1,
        Map.of("q1", 1000),
        1,
        0,
        0,
        0,
        1.5,
        1,
        0,
        0,
        0,
        0,
        1.5,
        0,
        0,
        0.1,
        0.2,
        0,
        0,
        null,
        null,
        null,
        null,
        null);
  }

  private static QueueDetails queueDetails() {
    WorkerDefinition worker =
        new WorkerDefinition(List.of("true"), null, null, null, null, 0, 0, null);
    QueueDefinition definition =
        new QueueDefinition("q", 0, 0, 0, null, 0, null, 0, null, null, 0, null, worker);
    return new QueueDetails(queue(), definition, List.of(), List.of(job()), List.of(), null);
  }

  private static JobDetails jobDetails() {
    JobSpec spec = JobDraft.command("true").name("a").spec();
    AttemptView attempt =
        new AttemptView(
            1,
            "e1",
            JobState.SUCCEEDED,
            THEN,
            THEN,
            THEN,
            Outcome.SUCCEEDED,
            0,
            null,
            null,
            null,
            "first",
            null);
    JobEvent event = new JobEvent(THEN, JobState.SUCCEEDED, 1, "ended");
    return new JobDetails(job(), spec, List.of(attempt), List.of(event));
  }

  private static JobView job() {
    return new JobView(
        1,
        "a",
        JobKind.SUBMITTED,
        JobState.SUCCEEDED,
        null,
        null,
        "admin",
        0,
        "default",
        1,
        "e1",
        Outcome.SUCCEEDED,
        0,
        null,
        null,
        THEN,
        null,
        THEN,
        THEN,
        "admin",
        null,
        List.of(),
        null,
        null,
        null,
        null);
  }
}
