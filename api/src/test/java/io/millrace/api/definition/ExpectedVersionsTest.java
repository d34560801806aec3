package io.millrace.api.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.definition.ApplyRequest.ExpectedVersion;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpectedVersionsTest {
  private static final ExpectedVersion ONE = new ExpectedVersion("queue", "alert", 1);

  @Test
  void aRequestExpectsABoundedNumberOfVersions() {
    List<ExpectedVersion> most = Collections.nCopies(ApplyRequest.MAX_EXPECTED, ONE);
    assertThat(new ApplyRequest(List.of(), false, null, most).expect()).hasSize(1_000);
    List<ExpectedVersion> more = Collections.nCopies(ApplyRequest.MAX_EXPECTED + 1, ONE);
    assertThatThrownBy(() -> new ApplyRequest(List.of(), false, null, more))
        .hasMessageContaining("expect has 1001 versions; send at most 1000");
  }

  @Test
  void kindAndNameAreBounded() {
    String tooLong = "x".repeat(201);
    assertThatThrownBy(() -> new ExpectedVersion("queue", tooLong, 1))
        .hasMessageContaining("at most 200 characters");
    assertThatThrownBy(() -> new ExpectedVersion(tooLong, "alert", 1))
        .hasMessageContaining("at most 200 characters");
  }

  @Test
  void versionsThatCannotBeInForceAreRefused() {
    assertThat(new RollbackRequest(null, false, 0).expect()).isZero();
    assertThatThrownBy(() -> new RollbackRequest(null, false, -1)).hasMessageContaining("not -1");
    assertThatThrownBy(() -> new DeletionRequest(null, false, 0)).hasMessageContaining("not 0");
  }
}
