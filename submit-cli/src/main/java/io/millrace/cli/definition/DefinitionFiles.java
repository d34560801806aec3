package io.millrace.cli.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads definition files as text; of directories, the YAML files in the order of their names. */
public final class DefinitionFiles {
  private final InputStream standardInput;

  /** The path {@code -} means standard input. */
  public DefinitionFiles(InputStream standardInput) {
    this.standardInput = standardInput;
  }

  /**
   * Reads them.
   *
   * @throws MillraceException INVALID_REQUEST if there are no files or a file cannot be read
   */
  public List<SourceFile> read(List<Path> named) throws IOException {
    List<SourceFile> files = new ArrayList<>();
    for (Path path : named) {
      if (path.toString().equals("-")) {
        files.add(new SourceFile("standard input", text(standardInput.readAllBytes())));
      } else if (Files.isDirectory(path)) {
        for (Path inside : yamlIn(path)) {
          files.add(file(inside));
        }
      } else {
        files.add(file(path));
      }
    }
    if (files.isEmpty()) {
      throw invalid(
          named.isEmpty()
              ? "no definition files; name a file or a directory with -f"
              : "no definition files in %s; definition files end in .yaml or .yml"
                  .formatted(named.stream().map(Path::toString).collect(Collectors.joining(", "))));
    }
    return files;
  }

  private static List<Path> yamlIn(Path directory) throws IOException {
    try (Stream<Path> inside = Files.walk(directory)) {
      return inside.filter(DefinitionFiles::yaml).filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static boolean yaml(Path path) {
    String name = path.toString();
    return name.endsWith(".yaml") || name.endsWith(".yml");
  }

  private static SourceFile file(Path path) throws IOException {
    if (!Files.isReadable(path)) {
      throw invalid("cannot read file " + path);
    }
    return new SourceFile(path.toString(), text(Files.readAllBytes(path)));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static MillraceException invalid(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }

  /** The files and directories named on the command line. Set by the parser. */
  static final class Arguments {
    @Option(
        names = {"-f", "--file"},
        paramLabel = "FILE|DIR",
        description = "YAML file, directory with YAML files, or - for standard input.")
    private final List<Path> named = new ArrayList<>();

    @Parameters(
        paramLabel = "FILE|DIR",
        arity = "0..*",
        description = "Further files or directories.")
    private final List<Path> more = new ArrayList<>();

    /** Reads all of them; see {@link DefinitionFiles#read}. */
    List<SourceFile> read(InputStream standardInput) throws IOException {
      List<Path> all = new ArrayList<>(named);
      all.addAll(more);
      return new DefinitionFiles(standardInput).read(all);
    }
  }
}
