package io.millrace.executor.supervision;

import io.millrace.api.execution.ExecutionBackend;
import io.millrace.executor.backend.ExecutionBackendContract;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class ProcessesBackendTest extends ExecutionBackendContract {
  @Override
  protected ExecutionBackend backend() {
    return new ProcessesBackend();
  }
}
