package io.millrace.executor.sequential;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandFiles;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.execution.OpenBackend;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.SingleInstanceLeases;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.lifecycle.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/**
 * Runs one command at a time, in the order in which they were passed on, as plain children of the
 * node (J-09). They end with the node, nothing limits their memory or shortens their outputs, and a
 * process that has left its parent is not found when its command is stopped.
 */
public final class SequentialBackend implements ExecutionBackend {
  @Override
  public String name() {
    return "sequential";
  }

  @Override
  public OpenBackend open(BackendContext context) {
    if (!context.settings().isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "backendSettings: the backend 'sequential' has no settings");
    }
    LastProcess last = new LastProcess(context.folder().resolve("sequential"));
    last.end();
    return new CommandSequence(context, last);
  }

  /**
   * The commands of one node. Its thread runs them; a command whose end is asked for is ended by
   * its thread too. The queue has at most as many commands as the node has slots.
   */
  private static final class CommandSequence implements OpenBackend {
    private final BackendContext context;
    private final LastProcess last;
    private final Thread thread;
    // Guarded by this.
    private final Queue<SequentialCommand> waiting = new ArrayDeque<>();
    private SequentialCommand running;
    private boolean closed;

    CommandSequence(BackendContext context, LastProcess last) {
      this.context = context;
      this.last = last;
      this.thread = Threads.daemon("sequence-" + context.nodeName(), this::work);
      thread.start();
    }

    private void work() {
      try {
        for (Optional<SequentialCommand> next = next(); next.isPresent(); next = next()) {
          next.get().runGuarded();
          synchronized (this) {
            running = null;
          }
        }
      } catch (InterruptedException e) {
        // Closed: what was running is ended there.
        Thread.currentThread().interrupt();
      }
    }

    /** Waits for the command whose turn it is; empty once closed. */
    private synchronized Optional<SequentialCommand> next() throws InterruptedException {
      while (waiting.isEmpty() && !closed) {
        wait();
      }
      // Together, so that every command that has not ended is in one of the two.
      running = closed ? null : waiting.remove();
      return Optional.ofNullable(running);
    }

    @Override
    public BackendAbilities abilities() {
      return new BackendAbilities(Recovery.NONE, false, false, false, false);
    }

    @Override
    public Optional<BackendRefusal> refusal(CommandOrder order) {
      return Optional.empty();
    }

    @Override
    public RunningCommand start(CommandOrder order, CommandFiles files) {
      SequentialCommand command = new SequentialCommand(order, files, context, last);
      synchronized (this) {
        if (closed) {
          throw new MillraceException(
              ErrorCode.UNAVAILABLE,
              "the execution node is stopping; send the attempt to another one");
        }
        waiting.add(command);
        notifyAll();
      }
      return command;
    }

    @Override
    public List<RunningCommand> recover(List<LeftCommand> left) {
      throw new UnsupportedOperationException("commands end with the node");
    }

    @Override
    public void endOthers(Set<AttemptId> known) {
      // What an earlier process of the node left was ended when this was opened.
    }

    @Override
    public void endAll() {
      List<SequentialCommand> all;
      synchronized (this) {
        all = new ArrayList<>(waiting);
        if (running != null) {
          all.add(running);
        }
      }
      // The one that runs is the last, so that none of the others has its turn meanwhile.
      all.forEach(SequentialCommand::kill);
    }

    private synchronized Optional<SequentialCommand> current() {
      return Optional.ofNullable(running);
    }

    @Override
    public Optional<SingleInstanceLeases> leases() {
      return Optional.empty();
    }

    @Override
    public void close() {
      synchronized (this) {
        closed = true;
      }
      current().ifPresent(SequentialCommand::abandon);
      thread.interrupt();
    }
  }
}
