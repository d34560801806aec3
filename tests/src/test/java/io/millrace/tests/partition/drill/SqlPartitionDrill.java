package io.millrace.tests.partition.drill;

import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.server.SqlSchema;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On a database server; not part of an ordinary build. */
class SqlPartitionDrill extends PartitionDrill {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @Override
  protected DatabaseSettings settings() throws SQLException {
    SCHEMA.empty();
    return SCHEMA.settings();
  }
}
