package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One event as a producer writes it in the envelope form (media type {@link EventMedia#ENVELOPES}).
 *
 * @param id the producer's own id, at most 200 characters; null lets the node make one from the
 *     batch id
 * @param data the operands, any JSON value
 * @param attributes short text beside the data; null for none
 */
public record EventDraft(String id, JsonNode data, Map<String, String> attributes) {}
