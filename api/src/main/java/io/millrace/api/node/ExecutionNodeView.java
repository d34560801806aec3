package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * An execution node as shown.
 *
 * @param id its own id
 * @param name its name
 * @param address where it serves logs
 * @param standing employed or retired
 * @param slots slots it offers
 * @param usedSlots slots booked by recorded attempts
 * @param pools pools it serves
 * @param attributes as registered
 * @param silentSeconds since its last heartbeat
 * @param attempts recorded and not ended
 */
public record ExecutionNodeView(
    UUID id,
    String name,
    URI address,
    NodeStanding standing,
    int slots,
    int usedSlots,
    List<String> pools,
    Map<String, String> attributes,
    double silentSeconds,
    List<AttemptId> attempts) {}
