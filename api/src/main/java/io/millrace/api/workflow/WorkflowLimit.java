package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/**
 * Changes how many steps of a workflow run at the same time; what runs already continues.
 *
 * @param maxRunning the most steps; 0 starts none; null for any number
 * @param template only the steps of this template; null for all together
 */
public record WorkflowLimit(Integer maxRunning, String template) {
  public WorkflowLimit {
    if (maxRunning != null && maxRunning < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "maxRunning must not be negative; leave it out for no limit");
    }
  }
}
