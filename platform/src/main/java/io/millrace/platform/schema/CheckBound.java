package io.millrace.platform.schema;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.annotation.Annotations;
import java.util.ArrayDeque;
import java.util.Set;

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

  private static final int ERROR = 20;

  /** A value of a list or an object, or its name, that a keyword looks at. */
  private static final int ENTRY = 2;

  /** The same where it is noted which of them are evaluated. */
  private static final int NOTED_ENTRY = 8;

  /** Keywords whose errors repeat a part of the schema, written anew for each. */
  private static final Set<String> REPEATING =
      Set.of("not", "contains", "minContains", "maxContains", "dependencies");

  private static final int REPEATED_CHARACTERS = 4;

  // Patterns are not told for which check they are used.
  private static final ThreadLocal<CheckBound> CURRENT = new ThreadLocal<>();

  private final CheckBudget budget;
  private final long granted;
  private final CountedAnnotations notes = new CountedAnnotations(this);
  private long left;
  private int depth;

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

  void spend(long steps) {
    left -= steps;
    if (left < 0) {
      throw new Reached("that takes too long with this schema");
    }
  }

  /** Spends the steps of a keyword that looks at each of some values or names. */
  void spendOnEntries(int entries) {
    boolean noted = isUnevaluatedPropertiesPresent() || isUnevaluatedItemsPresent();
    spend((long) entries * (noted ? NOTED_ENTRY : ENTRY));
  }

  /** How many keywords and parts of the schema lead to the one that is checked now. */
  int depth() {
    return depth;
  }

  @Override
  public void evaluationPathAddLast(String keyword) {
    spend(KEYWORD);
    super.evaluationPathAddLast(keyword);
    depth++;
  }

  @Override
  public void evaluationPathAddLast(int index) {
    spend(KEYWORD);
    super.evaluationPathAddLast(index);
    depth++;
  }

  @Override
  public void evaluationPathRemoveLast() {
    super.evaluationPathRemoveLast();
    depth--;
  }

  /** The schemas that lead to the one that is checked now; who asks goes through all of them. */
  @Override
  public ArrayDeque<Schema> getEvaluationSchema() {
    ArrayDeque<Schema> schemas = super.getEvaluationSchema();
    spend(schemas.size());
    return schemas;
  }

  @Override
  public Annotations getAnnotations() {
    return notes;
  }

  /** More of them make no difference. */
  @Override
  public void addError(Error error) {
    spend(ERROR);
    if (REPEATING.contains(error.getKeyword())) {
      for (Object argument : error.getArguments()) {
        spend(String.valueOf(argument).length() / REPEATED_CHARACTERS);
      }
    }
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
