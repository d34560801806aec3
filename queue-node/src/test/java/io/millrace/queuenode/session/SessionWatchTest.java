package io.millrace.queuenode.session;

import static io.millrace.queuenode.session.SessionNode.QUEUE;
import static io.millrace.queuenode.session.SessionNode.envelope;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.api.Json;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionDefinition;
import io.millrace.queuenode.session.SessionNode.Worker;
import io.millrace.queuenode.session.SessionWatch.SessionStatistics;
import io.millrace.queuenode.session.SessionWatch.SessionStatistics.WorkerStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class SessionWatchTest {
  @TempDir Path folder;
  private final List<String> records = new ArrayList<>();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(SessionWatch.class);
  private SessionNode node;
  private SessionWatch watch;

  @BeforeEach
  void start() {
    node = new SessionNode(folder, SessionDefinition.of("/jobId").withMaxUnassigned(2));
    watch = new SessionWatch("q1", node.sessions, node.clock, Duration.ofMinutes(1), records::add);
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    node.close();
  }

  private List<String> warnings() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aRecordIsWrittenEachMinuteWhileThereIsAnything() {
    node.clock.advance(Duration.ofMinutes(1));
    watch.look();
    assertThat(records).isEmpty();

    node.event("1", "a");
    node.events("{\"data\":1}");
    Worker worker = node.worker("w").employed();
    worker.take();
    watch.look();
    assertThat(records).isEmpty();
    node.clock.advance(Duration.ofMinutes(1));
    watch.look();
    watch.look();
    SessionStatistics written = Json.read(records.get(0), SessionStatistics.class);
    assertThat(records).hasSize(1);
    assertThat(written.queue()).isEqualTo(QUEUE);
    assertThat(written.received()).isEqualTo(2);
    assertThat(written.uptimeSeconds()).isEqualTo(120);
    assertThat(written.workers()).isEqualTo(1);
    assertThat(written.assigned()).isEqualTo(1);
    assertThat(written.workerStatistics())
        .containsExactly(new WorkerStatistics(worker.id, "w", 1, 1));
  }

  @Test
  void eachCrossingOfTheCapIsReportedOnce() {
    watch.look();
    node.events(envelope("1", "a"), envelope("2", "b"), envelope("3", "c"));
    watch.look();
    node.events(envelope("3", "c"));
    watch.look();
    assertThat(warnings())
        .singleElement()
        .asString()
        .contains("jobmanagement_exceeded_max_jobs: q1 has 2 sessions of jobs");
    node.worker("w").employed();
    watch.look();
    node.workers()
        .forEach(one -> node.sessions.retire(QUEUE, one.id(), new RetirementRequest(false), "ann"));
    node.events(envelope("4", "d"));
    watch.look();
    assertThat(warnings()).hasSize(2);
  }

  @Test
  void aWorkerThatIsHeardOfAndDoesNotGetOnIsNamedOnce() {
    node.event("1", "a");
    Worker worker = node.worker("slow").employed();
    worker.take();
    for (int minute = 0; minute < 5; minute++) {
      node.clock.advance(Duration.ofSeconds(55));
      worker.heartbeat();
      watch.look();
    }
    assertThat(warnings()).singleElement().asString().contains("(slow)").contains("is heard of");
    worker.done("1", 1);
    watch.look();
    assertThat(warnings()).hasSize(1);
  }
}
