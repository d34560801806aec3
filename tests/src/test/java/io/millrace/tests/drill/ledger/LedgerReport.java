package io.millrace.tests.drill.ledger;

import java.util.List;
import java.util.Map;

/**
 * The result of checking a ledger after a full drain.
 *
 * @param sent events that producers tried to send
 * @param acknowledged events whose batch was acknowledged
 * @param deliveries deliveries, repeated ones included
 * @param delivered distinct events that were delivered
 * @param recovered events of unknown outcome that turned out to be stored
 * @param lost acknowledged, never processed, and not a dead letter
 * @param unexpected delivered but never sent, or from another queue
 * @param refusedButDelivered delivered although every try was refused
 * @param early delivered before the end of their delay
 * @param repeated repeated deliveries by cause
 * @param broken a description of each repeated delivery that is not allowed
 * @param dead dead letters
 * @param twice events with a copy that had two confirmed ends
 */
public record LedgerReport(
    long sent,
    long acknowledged,
    long deliveries,
    long delivered,
    long recovered,
    List<String> lost,
    List<String> unexpected,
    List<String> refusedButDelivered,
    List<String> early,
    Map<RedeliveryCause, Long> repeated,
    List<String> broken,
    long dead,
    List<String> twice) {}
