/**
 * What a central manager measures (docs/metrics.md): counts of what it did itself, and figures of
 * the whole cluster, read from the database every few seconds.
 */
package io.millrace.manager.metrics;
