package io.millrace.tests.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.loadbalancer.node.LoadBalancerSettings;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.manager.definition.DefinitionText;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.node.QueueNodeSettings;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The defaults of definitions and of servers' configurations. */
class DefinitionsGoldenTest {
  private static final List<String> DEFINITIONS =
      List.of(
          "{kind: queue, name: least}",
          "{kind: queue, name: worker, worker: {command: [cat]}}",
          "{kind: queue, name: lingering, worker: {command: [cat], input: pull, model: linger}}",
          "{kind: queue, name: breaking, pacing: {breaker: {runs: 5}}, worker: {command: [cat]}}",
          "{kind: queue, name: paced, pacing: {policy: threshold}, worker: {command: [cat]}}",
          "{kind: queue, name: notifying, notify: {command: [tell], on: [dead, paused]}}",
          "{kind: queue, name: wrong, notify: {command: [tell]}}",
          "{kind: queue, name: wrong, bach: 3, worker: {program: noop}}",
          "{kind: task, name: scheduled, schedule: {cron: 0 3 * * *}, job: {command: [/bin/true]}}",
          "{kind: task, name: every, schedule: {every: 10m}, job: {command: [/bin/true]}}",
          "{kind: task, name: perpetual, schedule: {perpetual: {}}, job: {command: [/bin/true]}}",
          "{kind: task, name: chunked, job: {command: [/bin/true]}, chunks: {range: 1-3}}",
          "{kind: task, name: retried, job: {command: [/bin/true], retry: {max: 1}}}",
          "{kind: task, name: windowed, schedule: {every: 10m}, window: {from: '22:00', to:"
              + " '01:00'}, job: {command: [/bin/true]}}",
          "{kind: task, name: partitioned, schedule: {every: 10m}, job: {command: [/bin/true]},"
              + " partition: {discover: [ls]}}",
          "{kind: task, name: notifying, schedule: {every: 10m}, job: {command: [/bin/true]},"
              + " notify: {webhook: 'https://example.org/hook', on: [missed, hung]}}",
          "{kind: task, name: wrong, job: {command: [/bin/true], retries: 3}}",
          "{kind: job, name: load, command: [/bin/true]}",
          "{kind: job, command: [/bin/true], retries: 3}");

  @Test
  void definitionsHaveTheRecordedDefaults() {
    StringBuilder text = new StringBuilder();
    DefinitionParser parser = new DefinitionParser(KnownKinds.all(new SystemClock()));
    for (String yaml : DEFINITIONS) {
      text.append("### ").append(yaml).append("\n\n");
      DefinitionReading reading = parser.read(List.of(new SourceFile("golden.yaml", yaml)));
      reading.problems().forEach(problem -> text.append("refused: ").append(problem).append('\n'));
      for (DefinitionText definition : reading.definitions()) {
        text.append(String.join("\n", definition.lines())).append('\n');
      }
      text.append('\n');
    }
    GoldenFiles.of(DefinitionsGoldenTest.class, "definitions")
        .add("defaults.txt", text.toString())
        .verify();
  }

  @Test
  void thereIsAnExampleOfEveryKind() {
    List<String> kinds = Stream.of("queue", "task", "job").toList();
    assertThat(KnownKinds.all(new SystemClock()).keywords()).containsExactlyElementsOf(kinds);
  }

  @Test
  void serversHaveTheRecordedDefaults() {
    Normalizer normalizer =
        new Normalizer()
            .replace("(?m)^slots: \\d+$", "slots: <integer: two for each processor, at least 4>");
    GoldenFiles files = GoldenFiles.of(DefinitionsGoldenTest.class, "configuration");
    add(files, normalizer, "manager.yaml", CentralSettings.defaults());
    add(files, normalizer, "queue-node.yaml", QueueNodeSettings.defaults());
    add(files, normalizer, "load-balancer.yaml", LoadBalancerSettings.defaults());
    add(files, normalizer, "executor-node.yaml", ExecutorNodeSettings.defaults());
    files.verify();
  }

  private static void add(
      GoldenFiles files, Normalizer normalizer, String name, Record configuration) {
    files.add(name, normalizer.line(EffectiveConfiguration.print(configuration)));
  }
}
