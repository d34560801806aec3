package io.millrace.manager.workflow;

import io.millrace.api.DataSize;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.workflow.WorkflowResources.AdjustedResources;
import io.millrace.api.workflow.WorkflowResources.MeasuredResources;
import io.millrace.api.workflow.WorkflowResources.RequestedResources;
import io.millrace.api.workflow.WorkflowResources.TemplateResources;
import io.millrace.manager.job.ElementUsageDao.ElementUsage;
import io.millrace.manager.job.ResourceAdjustmentDao.AdjustedElements;
import java.time.Duration;

/**
 * What steps ask for: how it grows, how much of it they use, and what they need next time. Pure.
 */
final class StepResources {
  /** What becomes of memory and time limit of a step that exceeded them, unless its job says it. */
  static final ResourceScale USUAL_SCALE = ResourceScale.by(1.5);

  private static final double MEMORY_RESERVE = 1.2;
  private static final int TIME_RESERVE = 2;
  private static final long MEMORY_STEP = 64L << 20;
  private static final double GIGABYTE = 1L << 30;
  private static final double HOUR = Duration.ofHours(1).toMillis();

  private StepResources() {}

  /** The job of a template's steps, with the usual scale unless it has its own or no retries. */
  static JobSpec scaled(JobSpec job) {
    RetryPolicy retry = job.retry();
    return retry.max() == 0 || retry.scale() != null
        ? job
        : job.draft().retry(retry.scaled(USUAL_SCALE, retry.fallback())).spec();
  }

  /** What is shown of a template. */
  static TemplateResources of(
      String template, JobSpec job, ElementUsage used, AdjustedElements adjusted) {
    RequestedResources asked = new RequestedResources(job.memory(), job.cpu(), job.timeout());
    return new TemplateResources(
        template,
        asked,
        measured(used),
        new AdjustedResources(
            adjusted.elements(), size(adjusted.memoryBytes()), time(adjusted.timeoutMillis())),
        next(job, used),
        unusedMemory(asked, used),
        unusedCpu(asked, used));
  }

  private static MeasuredResources measured(ElementUsage used) {
    boolean measured = used.measured() > 0;
    boolean ran = used.elements() > 0;
    return new MeasuredResources(
        used.elements(),
        used.measured(),
        measured ? size(used.memoryBytesSum() / used.measured()) : null,
        measured ? size(used.memoryBytesMax()) : null,
        ran ? time(used.runMillis() / used.elements()) : null,
        // Of arrays that an older version began, the longest is not known.
        ran ? time(Math.max(used.longestMillis(), used.runMillis() / used.elements())) : null,
        measured || used.cpuMillis() > 0 ? time(used.cpuMillis() / used.elements()) : null);
  }

  /** The largest measured memory and a fifth, twice the longest measured run time, rounded up. */
  private static RequestedResources next(JobSpec job, ElementUsage used) {
    MeasuredResources measured = measured(used);
    boolean limited = job.command() != null && measured.memoryMax() != null;
    return new RequestedResources(
        limited ? nextMemory(measured.memoryMax().bytes()) : null,
        job.cpu(),
        measured.runMax() == null ? null : nextTimeout(measured.runMax()));
  }

  static DataSize nextMemory(long mostBytes) {
    long steps = (long) Math.ceil(mostBytes * MEMORY_RESERVE / MEMORY_STEP);
    return new DataSize(Math.max(1, steps) * MEMORY_STEP);
  }

  /** To ten seconds up to a minute, to minutes up to an hour, then to ten minutes. */
  static Duration nextTimeout(Duration longest) {
    long seconds = Math.max(1, longest.multipliedBy(TIME_RESERVE).plusMillis(999).toSeconds());
    long step = seconds <= 60 ? 10 : seconds <= 3600 ? 60 : 600;
    return Duration.ofSeconds((seconds + step - 1) / step * step);
  }

  private static double unusedMemory(RequestedResources asked, ElementUsage used) {
    if (asked.memory() == null || used.measured() == 0) {
      return 0;
    }
    double mean = (double) used.memoryBytesSum() / used.measured();
    return Math.max(0, asked.memory().bytes() - mean) / GIGABYTE * used.runMillis() / HOUR;
  }

  private static double unusedCpu(RequestedResources asked, ElementUsage used) {
    return asked.cpu() == null || (used.measured() == 0 && used.cpuMillis() == 0)
        ? 0
        : Math.max(0, asked.cpu() * used.runMillis() - used.cpuMillis()) / HOUR;
  }

  private static DataSize size(Long bytes) {
    return bytes == null ? null : new DataSize(bytes);
  }

  private static Duration time(Long millis) {
    return millis == null ? null : Duration.ofMillis(millis);
  }
}
