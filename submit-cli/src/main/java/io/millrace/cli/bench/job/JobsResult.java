package io.millrace.cli.bench.job;

import java.util.List;

/**
 * What was measured; the fields are those of {@code --json}. Rates are medians of the runs.
 *
 * @param jobs of each run
 * @param jobsPerSecond from before the first submission until the last end is recorded
 * @param supervisedReferencePerSecond processes under the same supervisor without the platform
 * @param xargsReferencePerSecond processes started by xargs
 * @param backlog further jobs that waited meanwhile
 * @param store {@code h2} or {@code mysql}
 * @param managers central managers
 * @param ratio of the jobs to the supervised reference of the same run
 * @param program what a job ran
 * @param nodes execution nodes
 * @param slots of each
 * @param referenceAtATime processes of the references at a time
 * @param runs all of them, in order
 */
record JobsResult(
    int jobs,
    double jobsPerSecond,
    double supervisedReferencePerSecond,
    double xargsReferencePerSecond,
    int backlog,
    String store,
    int managers,
    double ratio,
    String program,
    int nodes,
    int slots,
    int referenceAtATime,
    List<Run> runs) {

  /** One run with its references. */
  record Run(
      double jobsPerSecond,
      double supervisedReferencePerSecond,
      double xargsReferencePerSecond,
      double ratio) {
    static Run of(double jobs, double supervised, double xargs) {
      return new Run(
          tenths(jobs), tenths(supervised), tenths(xargs), hundredths(jobs / supervised));
    }

    private static double tenths(double value) {
      return Math.round(value * 10) / 10.0;
    }

    private static double hundredths(double value) {
      return Math.round(value * 100) / 100.0;
    }
  }
}
