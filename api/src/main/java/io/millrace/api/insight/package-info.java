/** What operators look at: the overview, alerts, queues with their jobs and history. */
package io.millrace.api.insight;
