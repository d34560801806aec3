package io.millrace.executor.run;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.client.QueueClient;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.executor.run.ProgramRun.ProgramOutput;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Waiter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The context that a built-in program gets for one attempt. */
record AttemptContext(
    Assignment assignment, ProgramHost host, LaunchPlan plan, ProgramOutput output)
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
  public Map<String, String> environment() {
    return assignment.spec().env();
  }

  @Override
  public CentralClient central() {
    return host.calls().central();
  }

  @Override
  public QueueClient queueNode(String name, URI address) {
    return new QueueClient(
        new ApiClient(
            host.calls().to(Role.QUEUE_NODE, name), new Endpoints(List.of(address)), () -> null));
  }

  @Override
  public String secret() {
    return assignment.secret();
  }

  @Override
  public long nanoTime() {
    return host.clock().nanoTime();
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    // Never woken; used because all waiting is done by the platform's Waiter.
    new Waiter().await(time);
  }

  @Override
  public CommandAnswer command(JobSpec how) throws InterruptedException {
    return new ShortCommand(plan.launch(attempt(), how, Map.of())).run();
  }

  @Override
  public void print(String line) {
    output.println(line);
  }
}
