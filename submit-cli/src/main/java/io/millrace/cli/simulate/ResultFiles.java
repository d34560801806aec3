package io.millrace.cli.simulate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes the results of a simulation to the requested files. */
final class ResultFiles {
  private ResultFiles() {}

  /**
   * Writes them.
   *
   * @param csv a heading and rows; no field has a comma in it
   * @param charts SVG documents, of which the first is the one for {@code --svg}
   */
  static void write(PacingPlan.Output output, String title, List<String> csv, List<String> charts)
      throws IOException {
    write(output.csv(), String.join("\n", csv) + "\n");
    if (output.svg() != null) {
      write(output.svg(), charts.get(0));
    }
    write(output.html(), page(title, csv, charts));
  }

  private static void write(Path file, String text) throws IOException {
    if (file != null) {
      Files.writeString(file, text, StandardCharsets.UTF_8);
    }
  }

  /** A page with the charts, then the figures. */
  private static String page(String title, List<String> csv, List<String> charts) {
    StringBuilder page = new StringBuilder(1024);
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.append("<title>").append(escaped(title)).append("</title>\n<style>");
    page.append("body{font-family:sans-serif;margin:2em}svg{max-width:1000px;width:100%}");
    page.append("table{border-collapse:collapse;font-size:13px}");
    page.append("th,td{border:1px solid #ccc;padding:3px 8px;text-align:right}");
    page.append("th:first-child,td:first-child{text-align:left}</style></head>\n<body>\n");
    page.append("<h1>").append(escaped(title)).append("</h1>\n");
    charts.forEach(chart -> page.append("<div>").append(chart).append("</div>\n"));
    page.append("<table>\n");
    for (int i = 0; i < csv.size(); i++) {
      String cell = i == 0 ? "th" : "td";
      String between = "</" + cell + "><" + cell + ">";
      page.append("<tr><").append(cell).append('>');
      page.append(escaped(csv.get(i)).replace(",", between));
      page.append("</").append(cell).append("></tr>\n");
    }
    return page.append("</table>\n</body></html>\n").toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
