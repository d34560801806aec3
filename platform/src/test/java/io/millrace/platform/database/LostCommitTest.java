package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A driver that loses its connection in the middle of a commit: nobody knows whether the server
 * carried it out, so the work must not be done again.
 */
class LostCommitTest {
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicInteger runs = new AtomicInteger();
  private final JdbcDataSource real = new JdbcDataSource();
  private boolean carriedOut;
  private boolean before;
  private Database database;

  @BeforeEach
  void open() throws SQLException {
    DatabaseSettings settings = DatabaseSettings.of("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");
    JdbcUrl url = JdbcUrl.of(settings);
    real.setURL(url.text());
    real.setUser("sa");
    HikariConfig pool = new HikariConfig();
    pool.setDataSource(losing());
    pool.setMaximumPoolSize(4);
    pool.setMaxLifetime(0);
    database = new Database(new HikariDataSource(pool), url, settings, SessionLimits.none());
    database.read(handle -> handle.execute("create table thing (id bigint primary key)"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aCommitWhoseAnswerIsLostIsReportedAsUnknownAndNotRepeated() {
    carriedOut = true;

    assertThatThrownBy(this::insert)
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FAILURE))
        .hasMessageContaining("lost during a commit");

    assertThat(runs).hasValue(1);
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void aCommitThatNeverArrivedIsReportedTheSameWay() {
    assertThatThrownBy(this::insert)
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FAILURE));

    assertThat(runs).hasValue(1);
    assertThat(rows()).isZero();
  }

  @Test
  void aConnectionThatIsLostBeforeTheCommitCostsARepetitionOnly() {
    before = true;

    insert();

    assertThat(runs).hasValue(2);
    assertThat(rows()).isEqualTo(1);
  }

  private void insert() {
    database.transaction(
        handle -> {
          handle.execute("insert into thing (id) values (1)");
          if (runs.incrementAndGet() == 1 && before) {
            throw new UnableToExecuteStatementException(
                new SQLRecoverableException("connection reset"), null);
          }
          return null;
        });
  }

  private int rows() {
    try (Connection connection = real.getConnection();
        var found = connection.createStatement().executeQuery("select count(*) from thing")) {
      found.next();
      return found.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Connections whose first commit fails, before or after it was carried out. */
  private DataSource losing() throws SQLException {
    DataSource source = mock(DataSource.class, delegatesTo(real));
    doAnswer(call -> losing(real.getConnection())).when(source).getConnection();
    return source;
  }

  private Connection losing(Connection connection) throws SQLException {
    Connection losing = mock(Connection.class, delegatesTo(connection));
    doAnswer(
            call -> {
              if (before || commits.getAndIncrement() > 0) {
                connection.commit();
                return null;
              }
              if (carriedOut) {
                connection.commit();
              } else {
                connection.rollback();
              }
              throw new SQLRecoverableException("connection reset");
            })
        .when(losing)
        .commit();
    return losing;
  }
}
