package io.millrace.platform.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The meters of one role. Thread-safe. */
public final class Metrics {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private final String role;

  /** Meters with the role and the node as labels of every sample. */
  public Metrics(String role, String name) {
    this.role = role;
    registry.config().commonTags("role", role, "node", name);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
  }

  /** The role of the server, such as {@code queue-node}. */
  public String role() {
    return role;
  }

  public MeterRegistry registry() {
    return registry;
  }

  /** All meters in Prometheus text format. */
  public String scrape() {
    return registry.scrape();
  }
}
