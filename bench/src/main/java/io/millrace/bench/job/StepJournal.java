package io.millrace.bench.job;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A built-in program that does nothing but write down, in one order for all steps, when each step
 * began and ended. Outside the heap, so that it does not count as the platform's. Thread-safe.
 */
final class StepJournal implements BuiltinProgram {
  static final String NAME = "step-journal";

  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger repeated = new AtomicInteger();
  // Guarded by this.
  private IntBuffer begins = IntBuffer.allocate(0);
  private IntBuffer ends = IntBuffer.allocate(0);

  /** Forgets everything, for a workflow of that many steps. */
  synchronized void begin(int steps) {
    next.set(0);
    repeated.set(0);
    begins = ByteBuffer.allocateDirect(steps * Integer.BYTES).asIntBuffer();
    ends = ByteBuffer.allocateDirect(steps * Integer.BYTES).asIntBuffer();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int run(ProgramContext context) {
    int step = Integer.parseInt(context.environment().get("MILLRACE_STEP"));
    synchronized (this) {
      if (begins.get(step) != 0) {
        repeated.incrementAndGet();
      }
      begins.put(step, next.incrementAndGet());
      ends.put(step, next.incrementAndGet());
    }
    return 0;
  }

  /** Where the step began in the order of everything; 0 if it never did. */
  synchronized int beginOf(int step) {
    return begins.get(step);
  }

  /** Where the step ended; 0 if it never did. */
  synchronized int endOf(int step) {
    return ends.get(step);
  }

  /** How many runs there were beyond the first of each step. */
  int repetitions() {
    return repeated.get();
  }
}
