package io.millrace.api.pacing;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;

/**
 * Sets something for a while in place of a queue's definition.
 *
 * @param maxWorkers null to leave the definition's
 * @param waitTarget null to leave the definition's
 * @param duration how long
 * @param reason for people; null for none
 */
public record OverrideRequest(
    Integer maxWorkers,
    Duration waitTarget,
    @JsonProperty("for") Duration duration,
    String reason) {}
