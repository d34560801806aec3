package io.millrace.tests.element;

import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.server.SqlSchema;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;

class SqlElementsTest extends ElementsContract {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @Override
  protected DatabaseSettings settings() throws SQLException {
    SCHEMA.clear();
    return SCHEMA.settings();
  }
}
