package io.millrace.cli.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.PointerFile.Pointer;
import io.millrace.cli.invocation.Targeting.Target;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetingTest {
  private static final Pointer POINTER =
      new Pointer("http://127.0.0.1:7700", "/data/admin.token", "http://127.0.0.1:7701");
  private static final URI POINTED = URI.create("http://127.0.0.1:7700");
  private static final URI ELSEWHERE = URI.create("http://elsewhere:7700");

  @TempDir Path home;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUp() {
    environment.put("HOME", home.toString());
  }

  @Test
  void thePointerOfTheMostRecentUpIsTheLastResort() throws IOException {
    PointerFile.ofUser(environment).write(POINTER);
    assertThat(target(List.of(), null, null))
        .isEqualTo(new Target(List.of(POINTED), Path.of("/data/admin.token")));
  }

  @Test
  void theEnvironmentComesBeforeThePointerAndOptionsBeforeTheEnvironment() throws IOException {
    PointerFile.ofUser(environment).write(POINTER);
    environment.put("MILLRACE_URL", "a:1, http://b:2");
    environment.put("MILLRACE_TOKEN_FILE", "/env.token");
    assertThat(target(List.of(), null, null))
        .isEqualTo(
            new Target(
                List.of(URI.create("http://a:1"), URI.create("http://b:2")),
                Path.of("/env.token")));
    assertThat(target(List.of(ELSEWHERE), Path.of("/flag.token"), null))
        .isEqualTo(new Target(List.of(ELSEWHERE), Path.of("/flag.token")));
  }

  @Test
  void aWrongUrlIsRefusedWithWhereItWasWritten() throws IOException {
    environment.put("MILLRACE_URL", "http://b:2, ftp://c");
    assertThatThrownBy(() -> target(List.of(), null, null))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("MILLRACE_URL: 'ftp://c' is not a URL");

    Path data = home.resolve("data");
    PointerFile file = PointerFile.ofData(data);
    file.write(new Pointer("no url", null, null));
    assertThatThrownBy(() -> target(List.of(), null, data))
        .hasMessageStartingWith(file.path() + ": 'no url' is not a URL");
  }

  @Test
  void theTokenOfAPointerIsNeverSentToAnotherServer() throws IOException {
    PointerFile.ofUser(environment).write(POINTER);
    assertThat(target(List.of(ELSEWHERE), null, null).tokenFile()).isNull();
    assertThat(target(List.of(POINTED), null, null).tokenFile())
        .isEqualTo(Path.of("/data/admin.token"));
    environment.put("MILLRACE_URL", "http://elsewhere:7700");
    assertThat(target(List.of(), null, null).tokenFile()).isNull();
  }

  @Test
  void theDataOptionSelectsTheUpOnThatDirectory() throws IOException {
    Path data = home.resolve("data");
    PointerFile.ofData(data).write(POINTER);
    assertThat(target(List.of(), null, data).servers()).containsExactly(POINTED);
    environment.put("MILLRACE_DATA", data.toString());
    assertThat(target(List.of(), null, null).servers()).containsExactly(POINTED);
    assertThatThrownBy(() -> target(List.of(), null, home.resolve("other")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("bin/millrace up --data");
  }

  @Test
  void theTokenOfTheNamedDataDirectoryComesBeforeThatOfTheMostRecentUp() throws IOException {
    Path data = home.resolve("data");
    PointerFile.ofData(data).write(new Pointer(POINTED.toString(), "/mine.token", null));
    PointerFile.ofUser(environment).write(POINTER);
    environment.put("MILLRACE_DATA", data.toString());
    environment.put("MILLRACE_URL", POINTED.toString());
    assertThat(target(List.of(), null, null).tokenFile()).isEqualTo(Path.of("/mine.token"));
    assertThat(target(List.of(POINTED), null, null).tokenFile()).isEqualTo(Path.of("/mine.token"));
    assertThat(target(List.of(ELSEWHERE), null, null).tokenFile()).isNull();
  }

  @Test
  void thePointerIsReadableByItsOwnerOnlyAndRemovedByItsOwnUpOnly() throws IOException {
    PointerFile file = PointerFile.ofUser(environment);
    file.write(POINTER);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())))
        .isEqualTo("rw-------");
    file.removeIf(new Pointer("http://127.0.0.1:9999", null, null));
    assertThat(file.read()).contains(POINTER);
    file.removeIf(POINTER);
    assertThat(file.read()).isEmpty();
    file.removeIf(POINTER);
  }

  @Test
  void anInvalidPointerIsIgnored() throws IOException {
    PointerFile file = PointerFile.ofUser(environment);
    Files.createDirectories(file.path().getParent());
    Files.writeString(file.path(), "{");
    assertThat(file.read()).isEmpty();
  }

  @Test
  void anInvalidUrlIsRefused() {
    assertThatThrownBy(() -> Targeting.url("--server", "ftp://x y"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("http://127.0.0.1:7700");
  }

  private Target target(List<URI> servers, Path tokenFile, Path data) {
    return new Targeting(environment).target(servers, tokenFile, data);
  }
}
