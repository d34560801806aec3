package io.millrace.platform.schema;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.SchemaException;

/**
 * Bounds one check of data, as the library does not: schemas and patterns of a few characters can
 * take years. Used by one thread.
 */
final class CheckBound extends ExecutionContext {
  private static final int MOST_ERRORS = 1_000;

  /** About a second. */
  static final long STEPS = 20_000_000;

  /** A keyword of the schema at a place of the data takes as long as so many characters. */
  private static final int KEYWORD = 10;

  // Patterns are not told for which check they are used.
  private static final ThreadLocal<CheckBound> CURRENT = new ThreadLocal<>();

  private final CheckBudget budget;
  private final long granted;
  private long left;

  private CheckBound(ExecutionConfig config, CheckBudget budget) {
    super(config);
    this.budget = budget;
    this.granted = budget.granted();
    this.left = granted;
  }

  /** Begins a check on this thread, in place of the one before. */
  static CheckBound begin(ExecutionConfig config, CheckBudget budget) {
    CheckBound bound = new CheckBound(config, budget);
    CURRENT.set(bound);
    return bound;
  }

  void end() {
    CURRENT.remove();
    budget.settle(granted, left);
  }

  static CheckBound current() {
    return CURRENT.get();
  }

  void spend(int steps) {
    left -= steps;
    if (left < 0) {
      throw new Reached("that takes too long with this schema");
    }
  }

  @Override
  public void evaluationPathAddLast(String keyword) {
    spend(KEYWORD);
    super.evaluationPathAddLast(keyword);
  }

  @Override
  public void evaluationPathAddLast(int index) {
    spend(KEYWORD);
    super.evaluationPathAddLast(index);
  }

  /** More of them make no difference. */
  @Override
  public void addError(Error error) {
    if (getErrors().size() < MOST_ERRORS) {
      super.addError(error);
    }
  }

  /** Why a check was given up. Of a kind that the library passes on without a line in the log. */
  static final class Reached extends SchemaException {
    private static final long serialVersionUID = 1L;

    Reached(String reason) {
      super(reason);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
