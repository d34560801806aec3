package io.millrace.manager.placement;

import dev.cel.runtime.CelVariableResolver;
import io.millrace.api.Pure;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The attributes of an execution node for expressions; unknown ones are empty or 0. Immutable.
 *
 * @param name its name
 * @param os operating system
 * @param arch processor architecture
 * @param cpus total processors
 * @param memoryBytes total memory for jobs
 * @param slots total slots
 * @param pools pools it serves
 * @param near the queue node on the same host
 * @param labels labels set by operators
 * @param software software versions by name
 * @param resources total consumables by name
 */
@Pure
public record NodeFacts(
    String name,
    String os,
    String arch,
    double cpus,
    long memoryBytes,
    int slots,
    List<String> pools,
    String near,
    Map<String, String> labels,
    Map<String, String> software,
    Map<String, Long> resources) {
  private static final String LABEL = "label.";
  private static final String SOFTWARE = "software.";

  public NodeFacts {
    pools = List.copyOf(pools);
    labels = Map.copyOf(labels);
    software = Map.copyOf(software);
    resources = Map.copyOf(resources);
  }

  /** The facts of a node as it registered: {@code os}, {@code label.gpu}, {@code software.java}. */
  public static NodeFacts of(
      String name, NodeCapacity capacity, List<String> pools, Map<String, String> attributes) {
    Map<String, Long> resources = new HashMap<>();
    capacity.resources().forEach((resource, amount) -> resources.put(resource, (long) amount));
    return new NodeFacts(
        name,
        attributes.getOrDefault("os", ""),
        attributes.getOrDefault("arch", ""),
        capacity.cpus(),
        capacity.memoryBytes(),
        capacity.slots(),
        pools,
        attributes.getOrDefault("near", ""),
        under(LABEL, attributes),
        under(SOFTWARE, attributes),
        resources);
  }

  private static Map<String, String> under(String prefix, Map<String, String> attributes) {
    Map<String, String> found = new HashMap<>();
    attributes.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            found.put(key.substring(prefix.length()), value);
          }
        });
    return found;
  }

  /** The value of a variable of {@link NodeLanguage}; empty for an unknown one. */
  Optional<Object> value(String variable) {
    return switch (variable) {
      case "name" -> Optional.of(name);
      case "os" -> Optional.of(os);
      case "arch" -> Optional.of(arch);
      case "cpus" -> Optional.of(cpus);
      case "memory" -> Optional.of(memoryBytes);
      case "slots" -> Optional.of((long) slots);
      case "pool" -> Optional.of(pools);
      case "near" -> Optional.of(near);
      case "label" -> Optional.of(labels);
      case "software" -> Optional.of(software);
      case "resource" -> Optional.of(resources);
      default -> Optional.empty();
    };
  }

  CelVariableResolver resolver() {
    return this::value;
  }
}
