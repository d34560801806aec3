package io.millrace.queuenode.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.queuenode.node.QueueNodeSettings.StoreSettings;
import io.millrace.queuenode.node.QueueNodeSettings.StoreSettings.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoreSettingsTest {
  @Test
  void aBatchNameLimitAboveHalfOfTheHeapIsRejected() {
    int tooMany = (int) Math.min(50_000_000, Runtime.getRuntime().maxMemory() / 100);
    assertThat(remembering(1_000).batchesRemembered()).isEqualTo(1_000);
    assertThatThrownBy(() -> remembering(tooMany).batchesRemembered())
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("rememberedBatches")
        .hasMessageContaining("more than half of the heap");
  }

  private static StoreSettings remembering(int batches) {
    return new StoreSettings(
        Kind.LOG, Optional.empty(), Optional.empty(), Optional.empty(), batches);
  }
}
