package io.millrace.manager.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.notification.NotificationOutbox.NotificationSettings;
import io.millrace.platform.clock.SystemClock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Webhooks that no central manager would call are refused before anything has happened. */
class WebhookRefusalTest {
  private static final String PRIVATE = "http://127.0.0.1:9/hook";
  private static final String REFUSAL =
      "notify.webhook: 127.0.0.1 is a private address; set notifications.privateAddresses";
  private static final String DEFINITIONS =
      """
      {kind: queue, name: q, notify: {webhook: "%1$s", on: [dead]}}
      ---
      {kind: task, name: t, job: {command: [w]}, notify: {webhook: "%1$s"}}
      ---
      {kind: task, name: u, job: {command: [w], notify: {webhook: "%1$s"}}}
      ---
      {kind: job, name: j, command: [w], notify: {webhook: "%1$s"}}
      """
          .formatted(PRIVATE);

  private final JobBench bench = JobBench.withTwoNodes(1);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aJobIsRefusedInEachWayToSubmitIt() {
    bench.ledger.refuseWebhooks(NotificationSettings.defaults().webhooks());
    assertThatThrownBy(() -> bench.ledger.submit("ann", spec(PRIVATE)))
        .hasMessageContaining(REFUSAL);
    assertThatThrownBy(() -> bench.ledger.submit("ann", spec(PRIVATE), "key"))
        .hasMessageContaining(REFUSAL);
    assertThatThrownBy(
            () ->
                bench.ledger.submitAll(
                    JobKind.SUBMITTED, "ann", List.of(JobBench.command(), spec(PRIVATE))))
        .hasMessageStartingWith("[1] " + REFUSAL);
    assertThat(bench.ledger.submit("ann", spec("https://hook.example.test/")).id()).isPositive();
  }

  @Test
  void privateAddressesAreAcceptedWhereTheSettingsAllowThem() {
    NotificationSettings settings = new NotificationSettings(true);
    bench.ledger.refuseWebhooks(settings.webhooks());
    assertThat(bench.ledger.submit("ann", spec(PRIVATE)).id()).isPositive();
    assertThat(problems(settings)).isEmpty();
  }

  @Test
  void definitionsOfEveryKindAreRefused() {
    assertThat(problems(NotificationSettings.defaults()))
        .hasSize(4)
        .allMatch(problem -> problem.contains("127.0.0.1 is a private address"));
  }

  private static List<String> problems(NotificationSettings settings) {
    return new DefinitionParser(KnownKinds.all(new SystemClock(), settings.webhooks()))
        .read(List.of(new SourceFile("a.yaml", DEFINITIONS)))
        .problems();
  }

  private static JobSpec spec(String webhook) {
    return JobBench.command()
        .draft()
        .notification(new Notification(null, null, webhook, null))
        .spec();
  }
}
