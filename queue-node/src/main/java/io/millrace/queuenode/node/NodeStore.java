package io.millrace.queuenode.node;

import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.node.QueueNodeSettings.StoreSettings;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.mysql.SqlSegmentStore;
import io.millrace.queuenode.store.mysql.SqlSegmentStore.SqlStoreSettings;
import java.nio.file.Path;

/** Opens the store chosen by the node's settings. */
final class NodeStore {
  private NodeStore() {}

  /**
   * Opens it, after finishing a restoration that was interrupted when the restored store was whole.
   * Blocks.
   *
   * @throws io.millrace.api.MillraceException STORE_FAILURE or CONFIGURATION
   */
  static SegmentStore open(QueueNodeSettings settings, Clock clock) {
    return switch (settings.store().kind()) {
      case LOG -> new StoreReplacement(settings, clock).open();
      case MYSQL ->
          SqlSegmentStore.open(
              server(settings.store()),
              settings.name(),
              settings.durability(),
              settings.store().batchesRemembered(),
              clock);
    };
  }

  /** The folder whose disk needs free space: the store's folder, which may be on another disk. */
  static Path folder(QueueNodeSettings settings) {
    return settings.store().kind() == StoreSettings.Kind.MYSQL
        ? settings.dataDirectory()
        : settings.dataDirectory().resolve("store");
  }

  private static SqlStoreSettings server(StoreSettings store) {
    return new SqlStoreSettings(
        store.url().orElseThrow(), store.user().orElseThrow(), store.passwordFile().orElse(null));
  }
}
