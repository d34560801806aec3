package io.millrace.executor.run;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.executor.supervision.Supervisor;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Runs built-in programs, each attempt in a thread of its own. */
final class ProgramRunner implements Runner {
  private final Map<String, BuiltinProgram> programs = new TreeMap<>();
  private final ProgramHost host;
  private final Supervisor supervisor;
  private final Finisher finisher;

  ProgramRunner(
      Collection<BuiltinProgram> programs,
      ProgramHost host,
      Supervisor supervisor,
      Finisher finisher) {
    programs.forEach(program -> this.programs.put(program.name(), program));
    this.host = host;
    this.supervisor = supervisor;
    this.finisher = finisher;
  }

  @Override
  public Run start(AttemptRecord record) {
    ProgramRun run = new ProgramRun(record, supervisor.directory(record.attempt()), host, finisher);
    String name = record.assignment().spec().program();
    BuiltinProgram program = programs.get(name);
    if (program == null) {
      run.refuse(
          "no built-in program '"
              + name
              + "' is on the class path of this node; it knows "
              + programs.keySet());
    } else {
      run.begin(program);
    }
    return run;
  }
}
