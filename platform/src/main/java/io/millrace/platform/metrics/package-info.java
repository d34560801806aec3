/** The meter registry of a process, read by Prometheus at {@code /metrics}. */
package io.millrace.platform.metrics;
