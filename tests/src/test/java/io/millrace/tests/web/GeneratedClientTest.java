package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that OpenAPI Generator makes of the central manager's document submits a job and waits
 * for its end. A drill, because generating and compiling take half a minute and the generator has
 * 30 MB; the profile of the drills copies it to {@code target/generator}. {@link OpenApiTest} has a
 * short form.
 */
@Tag("drill")
class GeneratedClientTest {
  private static final Path GENERATOR = Path.of("target/generator/openapi-generator-cli.jar");
  private static final String PROGRAM =
      """
      import generated.ApiClient;
      import generated.api.JobsApi;
      import generated.model.JobSpec;
      import generated.model.JobView;
      import java.util.List;
      import java.util.function.Function;

      public final class SubmitsJob implements Function<List<String>, String> {
        public String apply(List<String> access) {
          ApiClient client = new ApiClient();
          client.updateBaseUri(access.get(0));
          client.setRequestInterceptor(
              request -> request.header("Authorization", "Bearer " + access.get(1)));
          JobsApi jobs = new JobsApi(client);
          JobSpec spec =
              new JobSpec().name("generated").command(List.of("sh", "-c", "exit 0")).timeout("1m");
          try {
            JobView job = jobs.submitJob(spec, null);
            JobView ended = jobs.awaitJob(job.getId(), "1m");
            return ended.getName() + " " + ended.getState().getValue();
          } catch (generated.ApiException e) {
            throw new IllegalStateException(e);
          }
        }
      }
      """;

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @TempDir Path folder;

  @Test
  void aClientGeneratedFromTheDocumentSubmitsAJob() throws Exception {
    URI address = CLUSTER.servers().get("manager").address();
    String token = CLUSTER.token(Principal.of(Role.OPERATOR, "tester"));
    Path document = folder.resolve("openapi.json");
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/v1/openapi.json"))
            .header("Authorization", "Bearer " + token)
            .build();
    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofFile(document));

    generate(document);
    Path classes = compile();

    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      Object program = loader.loadClass("SubmitsJob").getDeclaredConstructor().newInstance();
      Object said =
          program
              .getClass()
              .getMethod("apply", List.class)
              .invoke(program, List.of(address.toString(), token));
      assertThat(said).isEqualTo("generated SUCCEEDED");
    }
  }

  private void generate(Path document) throws IOException, InterruptedException {
    assertThat(GENERATOR).as("'mvn -Pdrills' copies the generator").exists();
    Path log = folder.resolve("generator.log");
    Process generator =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                GENERATOR.toAbsolutePath().toString(),
                "generate",
                "-i",
                document.toString(),
                "-g",
                "java",
                "--library",
                "native",
                "-o",
                folder.resolve("client").toString(),
                "--global-property",
                "apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
                "--additional-properties",
                "openApiNullable=false,useJakartaEe=true,apiPackage=generated.api,"
                    + "modelPackage=generated.model,invokerPackage=generated")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(generator.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();
    assertThat(generator.exitValue()).as(Files.readString(log)).isZero();
  }

  private Path compile() throws IOException {
    Path program = Files.writeString(folder.resolve("SubmitsJob.java"), PROGRAM);
    Path classes = Files.createDirectory(folder.resolve("classes"));
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-nowarn",
                "-cp",
                System.getProperty("java.class.path"),
                "-sourcepath",
                folder.resolve("client/src/main/java").toString(),
                "-d",
                classes.toString(),
                program.toString());
    assertThat(failed).as("the generated client compiles").isZero();
    return classes;
  }
}
