package io.millrace.cli.job;

import io.millrace.cli.output.Escaping.SafeStream;
import io.millrace.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Destinations for the output of attempts: stdout to stdout, stderr to stderr. Thread-safe; each
 * stream that it opens is for one thread.
 */
public final class Sinks {
  private final Terminal terminal;
  private final OutputForm form;

  public Sinks(Terminal terminal, OutputForm form) {
    this.terminal = terminal;
    this.form = form;
  }

  /** The default form: JSON if requested, escaped on a terminal, otherwise unchanged. */
  public static Sinks forTerminal(Terminal terminal, boolean json, boolean raw) {
    if (json) {
      return new Sinks(terminal, OutputForm.JSON);
    }
    boolean interactive = terminal.outIsTerminal() || terminal.errIsTerminal();
    return new Sinks(terminal, interactive && !raw ? OutputForm.SAFE : OutputForm.RAW);
  }

  /** A stream; closing it flushes the rest and leaves the terminal open. */
  OutputStream open(long job, int attempt, String stream) {
    PrintStream to = stream.equals("stderr") ? terminal.err() : terminal.out();
    return switch (form) {
      case RAW -> new Unclosed(to);
      case SAFE -> new SafeStream(new Unclosed(to));
      case JSON ->
          new LineStream(line -> terminal.json(new OutputLine(job, attempt, stream, line)));
    };
  }

  /** A line of output as JSON shows it. */
  record OutputLine(long job, int attempt, String stream, String text) {}

  private static final class Unclosed extends FilterOutputStream {
    Unclosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }

  /** Form in which the output of a job is printed. */
  enum OutputForm {
    /** Unchanged. */
    RAW,
    /** Control characters are escaped. */
    SAFE,
    /** Each line as a JSON object with attempt and stream. */
    JSON
  }

  /** Passes on complete lines; the last one at close. Not thread-safe. */
  private static final class LineStream extends OutputStream {
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final Consumer<String> lines;

    LineStream(Consumer<String> lines) {
      this.lines = lines;
    }

    @Override
    public void write(int octet) {
      if (octet == '\n') {
        passOn();
      } else {
        line.write(octet);
      }
    }

    @Override
    public void close() {
      if (line.size() > 0) {
        passOn();
      }
    }

    private void passOn() {
      lines.accept(line.toString(StandardCharsets.UTF_8));
      line.reset();
    }
  }
}
