package io.millrace.tests.drill.ledger;

import java.util.List;
import java.util.Map;

/**
 * The judgement of a ledger after a full drain.
 *
 * @param sent events tried
 * @param acknowledged events whose batch was acknowledged
 * @param deliveries deliveries, repeated ones included
 * @param delivered different events that were delivered
 * @param recovered events of unknown outcome that turned out to be stored
 * @param lost acknowledged, never worked on, and not in the dead letters
 * @param unexpected delivered and never sent, or from another queue
 * @param refusedButDelivered delivered although every try was refused
 * @param early delivered before their delay was over
 * @param repeated repeated deliveries by cause
 * @param broken words for each repeated delivery that is not allowed
 * @param dead events in the dead letters
 * @param twice events of which one copy had two confirmed ends
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
