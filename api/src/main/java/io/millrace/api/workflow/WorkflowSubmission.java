package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.regex.Pattern;

/**
 * The beginning of a workflow's submission. Whoever submits the same again continues it.
 *
 * @param workflow the graph without its listed steps
 * @param runKey distinguishes runs of the same graph, such as a date; null for none
 * @param listedSteps how many listed steps follow in chunks
 * @param identity the {@link WorkflowIdentity} of the whole; null if no steps follow
 * @param allowInfeasible whether steps may ask for more than any node of their pools has now
 */
public record WorkflowSubmission(
    WorkflowSpec workflow,
    String runKey,
    int listedSteps,
    String identity,
    boolean allowInfeasible) {
  /** What is said to do about steps that no node could run, at the end of INFEASIBLE. */
  public static final String INFEASIBLE_ADVICE =
      "Ask for less, or submit it with allowInfeasible (--allow-infeasible) if larger nodes will be"
          + " added";

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  public WorkflowSubmission {
    require(workflow != null, "workflow is missing");
    runKey = runKey == null ? "" : runKey;
    require(runKey.length() <= 200, "runKey must have at most 200 characters");
    require(
        runKey.chars().noneMatch(Character::isISOControl),
        "runKey must not have control characters");
    require(
        listedSteps >= 0 && listedSteps <= WorkflowSpec.MAX_STEPS,
        "listedSteps must be from 0 to " + WorkflowSpec.MAX_STEPS);
    require(
        (listedSteps == 0) || identity != null,
        "identity is missing: with listed steps, the hash of the whole graph is needed");
    require(
        identity == null || HASH.matcher(identity).matches(),
        "identity must be 64 hexadecimal digits in lower case, the SHA-256 of the whole graph");
  }

  /** One whose steps the nodes that there are could run. */
  public WorkflowSubmission(
      WorkflowSpec workflow, String runKey, int listedSteps, String identity) {
    this(workflow, runKey, listedSteps, identity, false);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
