package io.millrace.tests.golden;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The difference of two texts by lines, with some context. */
final class LineDiff {
  private static final int AROUND = 3;
  private static final int MOST_LINES = 120;
  // Above this size the middle is shown as replaced, because the table of lengths would be too
  // large.
  private static final long MOST_CELLS = 16_000_000;

  private LineDiff() {}

  private record Line(char mark, String text) {}

  static String of(List<String> before, List<String> now) {
    int start = 0;
    int shorter = Math.min(before.size(), now.size());
    while (start < shorter && before.get(start).equals(now.get(start))) {
      start++;
    }
    int end = 0;
    while (end < shorter - start
        && before.get(before.size() - 1 - end).equals(now.get(now.size() - 1 - end))) {
      end++;
    }
    List<Line> lines = new ArrayList<>();
    before.subList(0, start).forEach(line -> lines.add(new Line(' ', line)));
    lines.addAll(
        middle(before.subList(start, before.size() - end), now.subList(start, now.size() - end)));
    before
        .subList(before.size() - end, before.size())
        .forEach(line -> lines.add(new Line(' ', line)));
    return shown(lines);
  }

  private static List<Line> middle(List<String> before, List<String> now) {
    List<Line> lines = new ArrayList<>();
    if ((long) before.size() * now.size() > MOST_CELLS) {
      before.forEach(line -> lines.add(new Line('-', line)));
      now.forEach(line -> lines.add(new Line('+', line)));
      return lines;
    }
    int[][] common = new int[before.size() + 1][now.size() + 1];
    for (int i = before.size() - 1; i >= 0; i--) {
      for (int j = now.size() - 1; j >= 0; j--) {
        common[i][j] =
            before.get(i).equals(now.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    int i = 0;
    int j = 0;
    while (i < before.size() || j < now.size()) {
      if (i < before.size() && j < now.size() && before.get(i).equals(now.get(j))) {
        lines.add(new Line(' ', before.get(i++)));
        j++;
      } else if (j == now.size() || i < before.size() && common[i + 1][j] >= common[i][j + 1]) {
        lines.add(new Line('-', before.get(i++)));
      } else {
        lines.add(new Line('+', now.get(j++)));
      }
    }
    return lines;
  }

  private static String shown(List<Line> lines) {
    StringBuilder text = new StringBuilder();
    Deque<String> pending = new ArrayDeque<>();
    int after = 0;
    int shown = 0;
    for (int number = 0; number < lines.size(); number++) {
      Line line = lines.get(number);
      if (line.mark() != ' ') {
        if (shown == MOST_LINES) {
          return text.append("  … and more\n").toString();
        }
        if (after == 0) {
          text.append("  @@ line ").append(number + 1).append('\n');
        }
        pending.forEach(text::append);
        pending.clear();
        text.append("  ").append(line.mark()).append(' ').append(line.text()).append('\n');
        after = AROUND;
        shown++;
      } else if (after > 0) {
        text.append("    ").append(line.text()).append('\n');
        after--;
      } else {
        pending.add("    " + line.text() + "\n");
        if (pending.size() > AROUND) {
          pending.remove();
        }
      }
    }
    return text.toString();
  }
}
