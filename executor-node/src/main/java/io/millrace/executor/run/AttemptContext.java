package io.millrace.executor.run;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.CommandAnswer;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.Assignment;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What one attempt of a built-in program sees of this node. */
record AttemptContext(Assignment assignment, ProgramHost host, ProgramOutput output)
    implements ProgramContext {
  @Override
  public AttemptId attempt() {
    return assignment.attempt();
  }

  @Override
  public List<String> arguments() {
    return assignment.spec().arguments();
  }

  @Override
  public CentralClient central() {
    return host.central();
  }

  @Override
  public HttpTransport transport() {
    return host.transport();
  }

  @Override
  public String token() {
    return host.token().get();
  }

  @Override
  public long nanoTime() {
    return host.clock().nanoTime();
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    // Nobody wakes it; the platform's waiting is used for being the only one.
    new Waiter().await(time);
  }

  @Override
  public CommandAnswer command(
      List<String> command, Map<String, String> environment, Duration limit)
      throws InterruptedException {
    return new ShortCommand(command, environment).run(limit);
  }

  @Override
  public void print(String line) {
    output.println(line);
  }
}
