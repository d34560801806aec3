package io.millrace.tests.statement;

import java.sql.PreparedStatement;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementContextListener;
import org.jdbi.v3.core.statement.StatementCustomizer;

/**
 * Records each statement that JDBI executes, alone or in a batch, with the source line that created
 * it. Not thread-safe.
 */
final class Recorder implements StatementCustomizer, StatementContextListener {
  private static final String LINE = "io.millrace.line";
  private static final String DRIVER = "ClientPreparedStatement: ";

  private final Set<String> lines = new TreeSet<>();
  // By the statement text without its values.
  private final Map<String, String> statements = new TreeMap<>();

  void listenTo(Jdbi jdbi) {
    jdbi.getConfig(SqlStatements.class).addCustomizer(this).addContextListener(this);
  }

  /** The source lines of the product, as {@code CLASS:LINE}. */
  Set<String> lines() {
    return lines;
  }

  /** One text with values for each statement. */
  Collection<String> statements() {
    return statements.values();
  }

  @Override
  public void contextCreated(StatementContext context) {
    StackWalker.getInstance()
        .walk(
            frames -> frames.filter(frame -> isProduct(frame.getClassName())).limit(1).findFirst())
        .ifPresent(
            frame -> context.define(LINE, frame.getClassName() + ":" + frame.getLineNumber()));
  }

  private static boolean isProduct(String name) {
    return name.startsWith("io.millrace.") && !name.startsWith("io.millrace.tests.");
  }

  @Override
  public void beforeExecution(PreparedStatement statement, StatementContext context) {
    String text = String.valueOf(statement);
    int start = text.indexOf(DRIVER);
    if (start >= 0) {
      if (context.getAttribute(LINE) instanceof String line) {
        lines.add(line);
      }
      statements.putIfAbsent(context.getRenderedSql(), text.substring(start + DRIVER.length()));
    }
  }
}
