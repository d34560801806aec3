package io.millrace.cli.bench.job;

/**
 * What was measured; the fields are those of {@code --json}. All delays in milliseconds.
 *
 * @param jobs submitted one after another
 * @param store {@code h2} or {@code mysql}
 * @param managers central managers, each submitted to in turn
 * @param program what a job ran
 * @param startP50Millis from before the submission until the process reads the time; of a built-in
 *     program, until the recorded start
 * @param startP99Millis 99th percentile
 * @param startMaxMillis the longest
 * @param supervisedP50Millis from before the start until the process reads the time, without the
 *     platform
 * @param supervisedP99Millis 99th percentile
 */
record StartDelayResult(
    int jobs,
    String store,
    int managers,
    String program,
    double startP50Millis,
    double startP99Millis,
    double startMaxMillis,
    double supervisedP50Millis,
    double supervisedP99Millis) {}
