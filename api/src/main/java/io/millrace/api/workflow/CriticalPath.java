package io.millrace.api.workflow;

import java.util.List;

/**
 * The longest chain of a workflow by measured run times: it cannot take less time, however many
 * slots there are.
 *
 * @param workflow its number
 * @param level whether the chain consists of steps or of templates
 * @param seconds how long the chain takes
 * @param unmeasured how many steps, or templates, have no measured run time and count as none
 * @param links the chain, the first to run first; of very long ones the first and last parts
 * @param skipped how many links in the middle are left out
 */
public record CriticalPath(
    long workflow,
    PathLevel level,
    double seconds,
    int unmeasured,
    List<PathLink> links,
    int skipped) {
  public CriticalPath {
    links = List.copyOf(links);
  }

  /** What a chain consists of. */
  public enum PathLevel {
    /** Single steps, each with its last run. */
    STEPS,
    /** Templates, each with the mean run time of its steps. */
    TEMPLATES
  }

  /**
   * A part of the chain.
   *
   * @param step its number; null for a template
   * @param name of the step; null if it has none
   * @param template its template
   * @param seconds how long it ran
   */
  public record PathLink(Integer step, String name, String template, double seconds) {}
}
