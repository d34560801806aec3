package io.millrace.cli.bench.job;

import io.millrace.api.client.CentralClient;
import io.millrace.cli.measurement.ScratchFolder;
import io.millrace.cli.server.ServerLogging;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** The platform under measurement. Closing it ends all and deletes what it wrote. */
final class JobsCluster implements AutoCloseable {
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final Path folder;
  private final CentralManagers managers;
  private final ExecutionNodes nodes;
  private final RecordedJobDao records;

  private JobsCluster(JobsBenchPlan plan, Clock clock) throws IOException, InterruptedException {
    try {
      folder = own(ScratchFolder.below(plan.folder())).path();
      ServerLogging.configure(folder.resolve("logs"), "bench", "ERROR");
      JobStore store = own(JobStore.create(plan.database(), folder));
      managers = own(CentralManagers.start(folder, store.settings(), plan.managers(), clock));
      records = own(RecordedJobDao.open(store.settings()));
      nodes = own(ExecutionNodes.start(folder, managers, plan.nodes(), plan.slots()));
    } catch (RuntimeException | IOException | InterruptedException e) {
      close();
      throw e;
    }
  }

  static JobsCluster start(JobsBenchPlan plan, Clock clock)
      throws IOException, InterruptedException {
    return new JobsCluster(plan, clock);
  }

  private <T extends AutoCloseable> T own(T part) {
    parts.push(part);
    return part;
  }

  /** Where everything lies. */
  Path folder() {
    return folder;
  }

  int managers() {
    return managers.size();
  }

  /** A client that speaks to this central manager first. */
  CentralClient client(int manager) {
    return managers.client(manager);
  }

  ExecutionNodes nodes() {
    return nodes;
  }

  RecordedJobDao records() {
    return records;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      end(parts.pop());
    }
  }

  private static void end(AutoCloseable part) {
    try {
      part.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("could not be ended", e);
    }
  }
}
