package io.millrace.api.execution;

import io.millrace.api.job.AttemptId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A backend in the service of one execution node.
 *
 * <p>Thread-safe: the node calls it from many threads at once. {@link #start}, {@link #recover},
 * {@link #endOthers} and {@link #endAll} may block; everything else must not. Failures of a command
 * are its {@linkplain RunningCommand#ending() end}, never an exception.
 */
public interface OpenBackend extends AutoCloseable {
  /** What it can do; always the same answer. */
  BackendAbilities abilities();

  /**
   * Why it can never run this order, whatever else runs; empty if it can. The node reports a
   * refusal to the central managers without starting anything, and the job is placed elsewhere.
   * What follows from the {@linkplain #abilities() abilities} is refused by the node itself.
   */
  Optional<BackendRefusal> refusal(CommandOrder order);

  /**
   * Starts a command, or queues it: then {@link RunningCommand#started()} is completed later.
   *
   * <p>Before the command begins, the backend calls {@link CommandFiles#create()}. An order that
   * cannot be carried out (no such program or folder) is an ended command with {@link
   * CommandEnd.Kind#START_FAILED} and the reason; {@link OrderCheck} finds common problems.
   *
   * @param order what to run
   * @param files the files of its input and outputs
   * @throws io.millrace.api.MillraceException UNAVAILABLE once it is closed
   */
  RunningCommand start(CommandOrder order, CommandFiles files);

  /**
   * Takes over what an earlier process of this node has started and not reported. Called once,
   * before the first start, and only with {@link Recovery#OWN_RECORDS} or {@link
   * Recovery#REFERENCE}. All of them in one call, so that a batch system can be asked once.
   *
   * @param left all commands whose end the node has not reported
   * @return one for each: those that run are followed from now on; those that have ended are
   *     completed already, as {@link CommandEnd.Kind#NEVER_BEGAN} if certainly nothing of them ran,
   *     and as {@link CommandEnd.Kind#LOST} if their end is not known. Before it answers LOST, the
   *     backend makes sure that nothing of it runs any more, because the job is started again
   */
  List<RunningCommand> recover(List<LeftCommand> left);

  /**
   * Ends by force whatever it has started for this node except the known attempts and those that
   * run under it: remains of attempts that nobody waits for any more. Called once after {@link
   * #recover}. Blocks until they have ended, for a bounded time.
   */
  void endOthers(Set<AttemptId> known);

  /**
   * Ends by force everything that it has started for this node: the attempts were stopped, and some
   * have not ended in the time that the node gives them. Blocks until they have ended, for a
   * bounded time.
   */
  void endAll();

  /**
   * The leases of single instances: jobs of which two attempts must never overlap, not even if the
   * node is cut off. Empty if the backend cannot guarantee that; then the node refuses such jobs.
   */
  Optional<SingleInstanceLeases> leases();

  /**
   * Frees its threads and connections, and completes no further end. Commands that can be taken
   * over continue; all others are ended by force.
   */
  @Override
  void close();

  /**
   * What a backend can do.
   *
   * @param recovery how commands are taken over after a restart of the node
   * @param enforcesMemory whether it ends a command that uses more memory than its limit; without
   *     it the limit is only booked
   * @param measuresUsage whether the ends of its commands tell what they used
   * @param pipesInput whether the node can write to the standard input of a running command, which
   *     workers with {@code input: stream} need
   * @param runsAsUsers whether it runs commands as another user than that of the node
   */
  record BackendAbilities(
      Recovery recovery,
      boolean enforcesMemory,
      boolean measuresUsage,
      boolean pipesInput,
      boolean runsAsUsers) {}

  /** How commands are taken over by the next process of their node. */
  enum Recovery {
    /** They end with the node, and count as lost. */
    NONE,
    /** The backend keeps what it needs in its own folder or in the directories of the attempts. */
    OWN_RECORDS,
    /** By {@link RunningCommand#reference()}, which the node keeps. */
    REFERENCE
  }

  /**
   * Why a backend never runs an order.
   *
   * @param code stable, for programs
   * @param text human-readable: what was asked for and what is possible
   */
  record BackendRefusal(RefusedFor code, String text) {}

  /** What an order was refused for. */
  enum RefusedFor {
    /** It needs a pipe to its standard input. */
    INPUT,
    /** It must not overlap with another attempt. */
    SINGLE_INSTANCE,
    /** It runs as another user. */
    USER,
    /** Its memory. */
    MEMORY,
    /** Its processors. */
    CPU,
    /** Its time limit. */
    TIME,
    /** Its named resources. */
    RESOURCE
  }

  /**
   * A command that an earlier process of this node has passed to the backend.
   *
   * @param id the attempt
   * @param files its files
   * @param reference the reference that was kept; empty if there is none, or if the node ended
   *     before it was known: the backend then looks for the attempt by its id, if it can
   */
  record LeftCommand(AttemptId id, CommandFiles files, Optional<String> reference) {}
}
