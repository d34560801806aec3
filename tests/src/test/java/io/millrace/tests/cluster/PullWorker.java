package io.millrace.tests.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A worker that leases its events over HTTP: a single-file Java program, run from its source. It
 * takes one batch or, if it is to linger, as many as its run limits allow. For each batch it writes
 * a file with the ids of its events into the folder given as argument.
 */
public final class PullWorker {
  private static final String SOURCE =
      """
      import java.net.URI;
      import java.net.http.*;
      import java.nio.file.*;
      import java.util.*;
      import java.util.regex.*;

      public class Pull {
        static final HttpClient HTTP = HttpClient.newHttpClient();

        public static void main(String[] arguments) throws Exception {
          int batch = Integer.parseInt(System.getenv("MILLRACE_BATCH"));
          int most = Integer.parseInt(System.getenv().getOrDefault("MILLRACE_LINGER_EVENTS", "0"));
          String seconds = System.getenv().getOrDefault("MILLRACE_LINGER_SECONDS", "0");
          long end = System.nanoTime() + (long) (Double.parseDouble(seconds) * 1e9);
          int taken = 0;
          int got;
          do {
            got = batch(arguments[0] + "/" + System.getenv("MILLRACE_ATTEMPT") + "-" + taken, batch);
            taken += got;
          } while (got > 0 && taken + batch <= most && System.nanoTime() < end);
        }

        static int batch(String file, int most) throws Exception {
          String idle = System.getenv().getOrDefault("MILLRACE_LINGER_IDLE_SECONDS", "0");
          String wanted = "{\\"max\\":" + most + ",\\"patience\\":\\"PT" + idle + "S\\"}";
          String lease = post("leases", wanted);
          List<String> ids = all(lease, "id");
          if (!ids.isEmpty()) {
            Files.write(Path.of(file), ids);
            String receipts = "\\"" + String.join("\\",\\"", all(lease, "receipt")) + "\\"";
            post("acks", "{\\"receipts\\":[" + receipts + "]}");
          }
          return ids.size();
        }

        static String post(String what, String json) throws Exception {
          String queue = System.getenv("MILLRACE_URL") + "/v1/queues/" + System.getenv("MILLRACE_QUEUE");
          HttpRequest request =
              HttpRequest.newBuilder(URI.create(queue + "/" + what))
                  .header("Authorization", "Bearer " + System.getenv("MILLRACE_TOKEN"))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(json))
                  .build();
          HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
          if (answer.statusCode() != 200) throw new IllegalStateException(answer.body());
          return answer.body();
        }

        static List<String> all(String json, String name) {
          List<String> found = new ArrayList<>();
          Matcher matcher = Pattern.compile("\\"" + name + "\\":\\"([^\\"]*)\\"").matcher(json);
          while (matcher.find()) found.add(matcher.group(1));
          return found;
        }
      }
      """;

  private PullWorker() {}

  /** Writes the source into the folder. */
  public static Path write(Path folder) throws IOException {
    return Files.writeString(folder.resolve("Pull.java"), SOURCE);
  }

  /** The Java that runs it. */
  public static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }
}
