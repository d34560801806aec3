package io.millrace.manager.definition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.session.SessionDefinition;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.schema.DataSchema;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Definitions of queues of sessions. */
class SessionQueuesTest {
  private static final String PLAIN = "{kind: queue, name: orders, minSegments: 1}";
  private static final String SESSIONS =
      "{kind: queue, name: orders, minSegments: 1, sessions: {key: order}}";

  @TempDir Path folder;
  private QueueWorld world;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aQueueWithoutSessionsIsStoredAsBefore() {
    world.apply(PLAIN);

    assertThat(stored()).doesNotContain("sessions").contains("\"minSegments\":1");
  }

  @Test
  void sessionsAreStoredWithTheirDefaults() {
    world.apply(
        """
        kind: queue
        name: orders
        worker: {command: [work]}
        sessions: {key: /order/id, heartbeat: 10s, onDead: skip, schema: {type: object}}
        """);

    QueueDefinition queue = world.queues.require("orders").definition();
    SessionDefinition sessions = queue.sessions();
    assertThat(sessions.key()).isEqualTo("/order/id");
    assertThat(sessions.maxPerWorker()).isEqualTo(30_000);
    assertThat(sessions.onDead()).isEqualTo(SessionDefinition.DeadEventPolicy.SKIP);
    assertThat(sessions.schema().at("/type").asText()).isEqualTo("object");
    assertThat(queue.worker().input()).isEqualTo(WorkerInput.SESSION);
    assertThat(stored()).contains("\"heartbeat\":\"10s\"").contains("\"onDead\":\"skip\"");
  }

  @Test
  void whatIsShownCanBeAppliedAgainWithoutAChange() {
    String text =
        "{kind: queue, name: orders, worker: {command: [work]},"
            + " sessions: {key: order, duplicates: drop, schema: off}}";
    world.apply(text);

    String shown = world.definitions.version("queue", "orders", 1).text();

    assertThat(shown).contains("duplicates: drop").doesNotContain("schema");
    assertThat(world.apply(shown).changes().get(0).action()).isEqualTo(ApplyAction.UNCHANGED);
    assertThat(world.apply(text).changes().get(0).action()).isEqualTo(ApplyAction.UNCHANGED);
  }

  @Test
  void aSchemaKeepsItsNumbersTruthValuesAndTexts() {
    world.apply(
        """
        kind: queue
        name: orders
        maxAttempts: 5
        sessions:
          key: k
          schema:
            properties:
              k: {type: string}
              n: {minimum: 5}
              five: {const: 5}
              text: {const: '5', maxLength: 3}
              list: {uniqueItems: true, minItems: 2}
              one: {enum: [1, true, null, yes, "1e3"]}
            additionalProperties: false
            required: [k]
        """);

    for (String right :
        new String[] {
          "{'n':5}",
          "{'five':5}",
          "{'text':'5'}",
          "{'list':[1,2]}",
          "{'one':1}",
          "{'one':true}",
          "{'one':null}",
          "{'one':'yes'}",
          "{'one':'1e3'}"
        }) {
      assertThat(refusals(right)).as(right).isEmpty();
    }
    for (String wrong :
        new String[] {
          "{'n':4}",
          "{'five':'5'}",
          "{'text':5}",
          "{'list':[1,1]}",
          "{'list':[1]}",
          "{'one':'1'}",
          "{'one':'true'}",
          "{'one':1000}",
          "{'other':1}"
        }) {
      assertThat(refusals(wrong)).as(wrong).isNotEmpty();
    }

    String shown = world.definitions.version("queue", "orders", 1).text();
    assertThat(world.apply(shown).changes().get(0).action()).isEqualTo(ApplyAction.UNCHANGED);
  }

  /** Why an event is refused by the schema that is stored, with the key that it must have. */
  private List<String> refusals(String data) {
    JsonNode schema = world.queues.require("orders").definition().sessions().schema();
    return DataSchema.of(schema)
        .problems(data.replace("{", "{'k':'a',").replace('\'', '"').getBytes(UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{key: a, colour: red}                 | sessions.colour",
        "{key: a, order: sideways}             | sessions.order",
        "{key: a, duplicates: maybe}           | 'maybe' is not one of refuse, drop, reopen",
        "{key: a, missed: -1}                  | sessions.missed must be from 1 to 1000",
        "{key: a, heartbeat: soon}             | sessions.heartbeat",
        "{key: a, schema: [1]}                 | sessions.schema is a JSON Schema, a mapping, or off",
        "{key: a, schema: {$ref: '#'}}         | sessions.schema is not usable: it refers to itself",
        "{key: a, schema: {pattern: '('}}      | sessions.schema is not usable: the pattern ( is not",
        "{key: a, schema: {minimum: '5'}}      | sessions.schema is not usable: /minimum: string found",
        "{key: a, schema: {type: sting}}       | sessions.schema is not usable: /type: does not have",
        "{key: a, schema: {not: {required: a}}} | sessions.schema is not usable: /not/required: string",
        "{maxPerWorker: 3}                     | sessions.key is missing",
      })
  void whatIsWrongIsNamedByItsField(String sessions, String problem) {
    assertThatThrownBy(() -> world.apply("{kind: queue, name: orders, sessions: " + sessions + "}"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SESSIONS + "|" + PLAIN,
        PLAIN + "|" + SESSIONS,
        SESSIONS + "|{kind: queue, name: orders, sessions: {key: /order}}"
      })
  void aQueueKeepsItsKeyWhileItExists(String change) {
    String[] texts = change.split("[|]");
    world.apply(texts[0]);

    for (boolean dryRun : new boolean[] {true, false}) {
      assertThatThrownBy(() -> world.apply(texts[1], dryRun))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
          .hasMessageContaining("sessions")
          .hasMessageContaining("millrace delete queue orders")
          .hasMessageContaining("another name");
    }
    assertThat(world.queues.require("orders").version()).isEqualTo(1);
  }

  @Test
  void everythingElseOfAQueueOfSessionsMayChange() {
    world.apply(SESSIONS);

    world.apply(
        "{kind: queue, name: orders, maxAttempts: 7, sessions: {key: order, maxPerWorker: 7,"
            + " order: pipelined}}");

    assertThat(world.queues.require("orders").definition().sessions().maxPerWorker()).isEqualTo(7);
  }

  @Test
  void aVersionFromBeforeADeletionIsNoObstacle() {
    world.apply(PLAIN);
    world.deletions.delete("queue", "orders", new DeletionRequest(null, false), "ann");
    world.deletions.advance();

    world.apply(SESSIONS);

    assertThat(world.queues.require("orders").definition().ofSessions()).isTrue();
    assertThatThrownBy(
            () ->
                world.definitions.rollBack(
                    "queue", "orders", new RollbackRequest(1, false, null), "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
  }

  private String stored() {
    return world.definitions.inForce("queue", "orders").orElseThrow().definition().toString();
  }
}
