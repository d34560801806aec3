package io.millrace.executor.node;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import java.time.Duration;

/** Built-in programs for tests. */
final class SamplePrograms {
  private SamplePrograms() {}

  /** Counts until it is stopped. */
  static final class Counting implements BuiltinProgram {
    @Override
    public String name() {
      return "counting";
    }

    @Override
    public int run(ProgramContext context) throws InterruptedException {
      try {
        for (int i = 1; ; i++) {
          context.print(context.attempt() + " " + context.arguments() + " " + i);
          context.pause(Duration.ofMillis(10));
        }
      } catch (InterruptedException e) {
        context.print("interrupted");
        throw e;
      }
    }
  }

  /** Prints the variables of its job. */
  static final class Describing implements BuiltinProgram {
    @Override
    public String name() {
      return "describing";
    }

    @Override
    public int run(ProgramContext context) {
      context.print(context.environment().toString());
      return 0;
    }
  }

  /** Fails at once. */
  static final class Failing implements BuiltinProgram {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public int run(ProgramContext context) {
      throw new IllegalStateException("nothing to read");
    }
  }
}
