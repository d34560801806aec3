package io.millrace.cli.job;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.JobReference;
import picocli.CommandLine.Parameters;

/** The one job that a command is about. Filled by the parser. */
final class NamedJob {
  @Parameters(paramLabel = "ID", description = "The job's number; 17[3] for an array's element.")
  private JobReference job;

  /** Its id; asks the server only for an element. */
  long id(Invocation invocation) {
    return new JobReferences(invocation.central()).id(job);
  }

  @Override
  public String toString() {
    return job.toString();
  }
}
