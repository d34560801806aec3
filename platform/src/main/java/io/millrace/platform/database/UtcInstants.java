package io.millrace.platform.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.mapper.ColumnMapper;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * Stores instants as UTC date-times in whole microseconds. The drivers' conversion uses the JVM's
 * time zone, which loses an hour when daylight saving time ends.
 */
final class UtcInstants {

  private UtcInstants() {}

  static void register(Jdbi jdbi) {
    jdbi.registerArgument(new Binding());
    jdbi.registerColumnMapper(Instant.class, new Reading());
  }

  private static final class Binding extends AbstractArgumentFactory<Instant> {
    Binding() {
      super(Types.TIMESTAMP);
    }

    @Override
    protected Argument build(Instant value, ConfigRegistry config) {
      LocalDateTime stored =
          LocalDateTime.ofInstant(value.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
      return (position, statement, context) -> statement.setObject(position, stored);
    }
  }

  private static final class Reading implements ColumnMapper<Instant> {
    @Override
    public Instant map(ResultSet row, int column, StatementContext context) throws SQLException {
      LocalDateTime stored = row.getObject(column, LocalDateTime.class);
      return stored == null ? null : stored.toInstant(ZoneOffset.UTC);
    }
  }
}
