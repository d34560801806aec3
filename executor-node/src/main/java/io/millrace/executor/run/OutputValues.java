package io.millrace.executor.run;

import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.UntrustedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a step of a workflow wrote to the file {@code MILLRACE_OUTPUT}: lines {@code NAME=value}, of
 * which the last one of a name counts.
 *
 * @param values by name
 * @param problem why they cannot be used; null if they can
 */
record OutputValues(Map<String, String> values, String problem) {
  /** The most bytes of the file. */
  static final int MAX_BYTES = 64 * 1024;

  private static final Logger LOGGER = LoggerFactory.getLogger(OutputValues.class);
  private static final Pattern LINE = Pattern.compile("([A-Za-z0-9][A-Za-z0-9_-]{0,59})=(.*)");
  private static final OutputValues NONE = new OutputValues(Map.of(), null);

  /** Reads the file; an attempt without one has none. Reads the disk. */
  static OutputValues read(AttemptDirectory directory) {
    try {
      if (!Files.isRegularFile(directory.values(), LinkOption.NOFOLLOW_LINKS)) {
        return NONE;
      }
      Optional<byte[]> content = UntrustedFile.read(directory.values(), MAX_BYTES);
      return content.isEmpty()
          ? problem("its output values (MILLRACE_OUTPUT) take more than " + MAX_BYTES + " bytes")
          : parse(new String(content.get(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOGGER.warn("cannot read the output values in {}", directory.path(), e);
      return problem("its output values (MILLRACE_OUTPUT) cannot be read");
    }
  }

  /** Pure. */
  static OutputValues parse(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.split("\\R", -1)) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      Matcher form = LINE.matcher(line);
      if (!form.matches()) {
        return problem(
            "line %d of its output values (MILLRACE_OUTPUT) is not NAME=value".formatted(number));
      }
      values.put(form.group(1), form.group(2));
    }
    return new OutputValues(values, null);
  }

  private static OutputValues problem(String what) {
    return new OutputValues(Map.of(), what);
  }
}
