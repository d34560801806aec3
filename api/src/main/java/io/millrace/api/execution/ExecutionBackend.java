package io.millrace.api.execution;

/**
 * A way in which execution nodes run commands: processes of their own machine, or jobs of a batch
 * system (J-09).
 *
 * <p>Central managers place attempts on nodes, whatever the backend of a node is: slots, claims,
 * attempt numbers, reports, retries and raised requests are the same. A node passes the commands of
 * its attempts to the one backend that its configuration names ({@code backend: NAME}).
 *
 * <p>A backend is a public class with a public constructor without parameters, named in {@code
 * META-INF/services/io.millrace.api.execution.ExecutionBackend} of a jar on the class path of the
 * node. docs/architecture.md describes how to write and test one.
 */
public interface ExecutionBackend {
  /**
   * The name in configurations: lower-case letters, digits and dashes. It must not change, because
   * nodes keep it on disk.
   */
  String name();

  /**
   * Opens it for one execution node; called once by each process of the node, before anything is
   * started. May block for some seconds.
   *
   * @throws io.millrace.api.MillraceException CONFIGURATION if the machine or the settings do not
   *     meet the requirements, with what to do; the node does not start then
   */
  OpenBackend open(BackendContext context);
}
