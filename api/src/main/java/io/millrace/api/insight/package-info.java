/** Views for operators: the overview, alerts, queues with their jobs and history. */
package io.millrace.api.insight;
