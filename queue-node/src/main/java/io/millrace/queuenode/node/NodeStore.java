package io.millrace.queuenode.node;

import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.mysql.SqlSegmentStore;
import io.millrace.queuenode.store.mysql.SqlStoreSettings;
import java.nio.file.Path;

/** Opens the store that a node's settings choose. */
final class NodeStore {
  private NodeStore() {}

  /**
   * Opens it. Blocks.
   *
   * @throws io.millrace.api.MillraceException STORE_FAILURE or CONFIGURATION
   */
  static SegmentStore open(QueueNodeSettings settings, Clock clock) {
    Path folder = folder(settings);
    return switch (settings.store().kind()) {
      case LOG -> LogSegmentStore.open(folder, settings.store().batchesRemembered(), clock);
      case MYSQL ->
          SqlSegmentStore.open(
              server(settings.store()),
              settings.name(),
              settings.durability(),
              settings.store().batchesRemembered(),
              clock);
    };
  }

  /** Where the disk must have room: the store's own folder, which may be a disk of its own. */
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
