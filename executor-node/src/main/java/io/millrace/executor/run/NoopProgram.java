package io.millrace.executor.run;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;

/**
 * The built-in program {@code noop}: does nothing and returns its argument, or 0. For measurements
 * and for trying out what follows the end of a job. Stateless.
 */
public final class NoopProgram implements BuiltinProgram {
  @Override
  public String name() {
    return "noop";
  }

  @Override
  public int run(ProgramContext context) {
    return context.arguments().isEmpty() ? 0 : Integer.parseInt(context.arguments().get(0));
  }
}
