package io.millrace.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import org.junit.jupiter.api.Test;

class RoleProcessTest {
  private static final String OUTSIDE_OF_THE_HEAP =
      """
       Metaspace       used 9369K, committed 9600K, reserved 1114112K
        class space    used 1126K, committed 1216K, reserved 1048576K
      """;

  @Test
  void allGenerationsOfTheHeapAreCounted() {
    String serial =
        """
        4711:
         def new generation   total 116224K, used 1K [0x00000000e0000000, 0x00000000eaaa0000)
          eden space 103360K,   0% used [0x00000000e0000000, 0x00000000e64f0000)
         tenured generation   total 258048K, used 33063K [0x00000000eaaa0000, 0x0000000100000000)
           the space 258048K,  12% used [0x00000000eaaa0000, 0x00000000fa6a0000)
        """;
    assertThat(RoleProcess.used(serial + OUTSIDE_OF_THE_HEAP)).isEqualTo(33_064L << 10);
    String g1 = " garbage-first heap   total 222208K, used 64420K [0xe0000000, 0x100000000)\n";
    assertThat(RoleProcess.used(g1 + OUTSIDE_OF_THE_HEAP)).isEqualTo(64_420L << 10);
  }

  @Test
  void whatCannotBeReadIsAnError() {
    assertThatThrownBy(() -> RoleProcess.used("4711: no such process"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no such process");
  }
}
