package io.millrace.cli.job;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.ExitCode;

/** What a command exits with after the end of jobs: for an array, the worst of its elements. */
final class EndCodes {
  private static final int ELEMENTS = 1000;

  private final CentralClient central;

  EndCodes(CentralClient central) {
    this.central = central;
  }

  /**
   * The job's own code. Of an array it is the highest of its failed elements, of which the last
   * thousand are looked at, or 125 when none tells.
   */
  int of(JobView ended) {
    boolean array = ended.progress() != null;
    if (!array || ended.state() == JobState.SUCCEEDED || ended.progress().failed() == 0) {
      return ExitCode.of(ended);
    }
    String failed = "array:" + ended.id() + " state:failed";
    return central.jobs("search=" + ApiClient.encode(failed) + "&limit=" + ELEMENTS).jobs().stream()
        .mapToInt(ExitCode::of)
        .max()
        .orElseGet(() -> ExitCode.of(ended));
  }
}
