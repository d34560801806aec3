package io.millrace.api.session;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Makes a queue one of sessions: the events of one key stay together and in order (M-01..M-18);
 * omitted fields get their defaults.
 *
 * @param key where the key of an event is: an attribute's name, or a JSON pointer into its data
 * @param maxPerWorker the most sessions of one worker (M-09, M-15)
 * @param maxUnassigned the most sessions without a worker before no more are opened (M-15)
 * @param maxPerKey the most events kept of one session before more of its key are refused
 * @param heartbeat how often a worker is to be heard of (M-07)
 * @param missed after how many missed heartbeats a worker is retired (M-07); together at most a day
 * @param retiredFor how long a retired worker is listed (M-15), at most 30 days
 * @param remember how long the key of a completed session is remembered (M-11)
 * @param rememberMax the most completed keys remembered on one node; the oldest are forgotten
 *     first. Of one key its last 8 ends are, and of keys with one hash the last 16
 * @param idle time without events after which a session ends by itself; null for never
 * @param duplicates what becomes of an event whose key is remembered
 * @param onDead what becomes of a session whose event has failed too often
 * @param ownerLost what becomes of the slots of a lost node
 * @param order how many deliveries of one session may be unacknowledged
 * @param schema JSON Schema that data must match at intake; null or {@code off} if workers check it
 *     (M-04)
 */
@RecordBuilder
public record SessionDefinition(
    String key,
    int maxPerWorker,
    int maxUnassigned,
    int maxPerKey,
    Duration heartbeat,
    int missed,
    Duration retiredFor,
    Duration remember,
    int rememberMax,
    Duration idle,
    DuplicatePolicy duplicates,
    DeadEventPolicy onDead,
    OwnerLostPolicy ownerLost,
    SessionOrder order,
    JsonNode schema)
    implements SessionDefinitionBuilder.With {
  private static final Duration LONGEST_SILENCE = Duration.ofDays(1);
  private static final Duration LONGEST_LISTED = Duration.ofDays(30);

  public SessionDefinition {
    SessionKey.at(key);
    maxPerWorker = maxPerWorker == 0 ? 30_000 : maxPerWorker;
    require(maxPerWorker > 0, "sessions.maxPerWorker must be at least 1");
    maxUnassigned = maxUnassigned == 0 ? 100_000 : maxUnassigned;
    require(maxUnassigned > 0, "sessions.maxUnassigned must be at least 1");
    maxPerKey = maxPerKey == 0 ? 10_000 : maxPerKey;
    require(
        maxPerKey > 0 && maxPerKey <= 1_000_000, "sessions.maxPerKey must be from 1 to 1000000");
    heartbeat = heartbeat == null ? Duration.ofMinutes(1) : heartbeat;
    require(
        heartbeat.compareTo(Duration.ofMillis(100)) >= 0,
        "sessions.heartbeat must be at least 100ms");
    missed = missed == 0 ? 3 : missed;
    require(missed > 0 && missed <= 1_000, "sessions.missed must be from 1 to 1000");
    // Compared before it is multiplied, which can overflow.
    require(
        heartbeat.compareTo(LONGEST_SILENCE.dividedBy(missed)) <= 0,
        "sessions.heartbeat times sessions.missed must be at most 1d: for that time a lost worker would"
            + " keep its sessions");
    retiredFor = retiredFor == null ? Duration.ofMinutes(10) : retiredFor;
    require(
        !retiredFor.isNegative() && retiredFor.compareTo(LONGEST_LISTED) <= 0,
        "sessions.retiredFor must be from 0 to 30d");
    remember = remember == null ? Duration.ofHours(24) : remember;
    require(
        !remember.isNegative() && remember.compareTo(Durations.LONGEST) <= 0,
        "sessions.remember must be from 0 to 3650d");
    rememberMax = rememberMax == 0 ? 1_000_000 : rememberMax;
    require(rememberMax > 0, "sessions.rememberMax must be at least 1");
    require(
        idle == null
            || (idle.compareTo(Duration.ofSeconds(1)) >= 0
                && idle.compareTo(Durations.LONGEST) <= 0),
        "sessions.idle must be from 1s to 3650d");
    duplicates = duplicates == null ? DuplicatePolicy.REFUSE : duplicates;
    onDead = onDead == null ? DeadEventPolicy.PARK : onDead;
    ownerLost = ownerLost == null ? OwnerLostPolicy.WAIT : ownerLost;
    order = order == null ? SessionOrder.STRICT : order;
    schema = checked(schema);
  }

  /** The defaults with a key. */
  public static SessionDefinition of(String key) {
    return new SessionDefinition(
        key, 0, 0, 0, null, 0, null, null, 0, null, null, null, null, null, null);
  }

  /** Where the key is. */
  public SessionKey keyPlace() {
    return SessionKey.at(key);
  }

  /** The silence after which a worker is retired. */
  public Duration silence() {
    return heartbeat.multipliedBy(missed);
  }

  private static JsonNode checked(JsonNode schema) {
    if (schema == null
        || schema.isNull()
        || (schema.isTextual() && schema.asText().equals("off"))) {
      return null;
    }
    require(schema.isObject(), "sessions.schema is a JSON Schema, a mapping, or off");
    return schema;
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }

  /** What becomes of an event whose key was completed and is remembered. */
  public enum DuplicatePolicy {
    /** It is refused with the code DUPLICATE. */
    REFUSE,
    /** It is answered as accepted, counted, and not stored. */
    DROP,
    /** It opens a new session of its key, and is counted. */
    REOPEN;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the lower-case name. */
    @JsonCreator
    public static DuplicatePolicy of(String word) {
      return read(DuplicatePolicy.class, word);
    }
  }

  /** What becomes of a session when one of its events has failed too often. */
  public enum DeadEventPolicy {
    /** Nothing more of the session is delivered until an operator decides. */
    PARK,
    /** The event is given up and counted, and the next one is delivered. */
    SKIP,
    /** The session ends with all its events, as failed. */
    CLOSE;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the lower-case name. */
    @JsonCreator
    public static DeadEventPolicy of(String word) {
      return read(DeadEventPolicy.class, word);
    }
  }

  /** What becomes of the slots of a lost node. */
  public enum OwnerLostPolicy {
    /** Their new node stores events and assigns none until the lost node's events have arrived. */
    WAIT,
    /**
     * Their new node goes on when the lost node's workers have certainly stopped; what arrives late
     * comes after it, and is counted.
     */
    CONTINUE;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the lower-case name. */
    @JsonCreator
    public static OwnerLostPolicy of(String word) {
      return read(OwnerLostPolicy.class, word);
    }
  }

  /** How many deliveries of one session may be unacknowledged. */
  public enum SessionOrder {
    /** One: the next events are delivered when those before are acknowledged. */
    STRICT,
    /** Several, in order. */
    PIPELINED;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the lower-case name. */
    @JsonCreator
    public static SessionOrder of(String word) {
      return read(SessionOrder.class, word);
    }
  }

  private static <E extends Enum<E>> E read(Class<E> type, String word) {
    for (E value : type.getEnumConstants()) {
      if (value.name().toLowerCase(Locale.ROOT).equals(word)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "'%s' is not one of %s"
            .formatted(
                word,
                Arrays.stream(type.getEnumConstants())
                    .map(value -> value.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "))));
  }
}
