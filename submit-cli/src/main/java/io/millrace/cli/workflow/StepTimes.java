package io.millrace.cli.workflow;

import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.cli.migration.ImportedWorkflow;
import java.util.Arrays;
import java.util.List;

/** When the steps of a workflow started and ended, as the cluster has recorded it. */
interface StepTimes {
  /**
   * Reads the times; blocks while it asks the servers.
   *
   * @param workflow that has ended
   * @param steps how many steps it has
   */
  TimesByStep of(WorkflowDetails workflow, int steps);

  /**
   * Times by the number of a step, in seconds since 1970.
   *
   * @param started of the last attempt; NaN if unknown
   * @param ended NaN if unknown
   */
  record TimesByStep(List<Double> started, List<Double> ended) {
    /** Times of which none is known. */
    static TimesByStep unknown(int steps) {
      Double[] none = new Double[steps];
      Arrays.fill(none, Double.NaN);
      return new TimesByStep(List.of(none), List.of(none));
    }

    /** How many steps have both times. */
    int known() {
      return (int) Arrays.stream(seconds()).filter(time -> !Double.isNaN(time)).count();
    }

    /** How long each step took; NaN if unknown. */
    double[] seconds() {
      double[] seconds = new double[started.size()];
      for (int step = 0; step < seconds.length; step++) {
        seconds[step] = ended.get(step) - started.get(step);
      }
      return seconds;
    }

    /** How many times a step started before one that it needs had ended. */
    int violations(ImportedWorkflow workflow) {
      int violations = 0;
      for (int step = 0; step < workflow.steps().size(); step++) {
        for (int needed : workflow.steps().get(step).needs()) {
          // False if one of them is unknown.
          if (started.get(step) < ended.get(needed)) {
            violations++;
          }
        }
      }
      return violations;
    }
  }
}
