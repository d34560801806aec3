package io.millrace.tests.golden;

import io.millrace.manager.partition.Allotment;
import io.millrace.manager.partition.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The owners of resources while members join and leave. */
final class RingTable {
  private static final List<String> RESOURCES =
      IntStream.rangeClosed(1, 24).mapToObj(number -> "mailbox-" + number).toList();

  String text() {
    StringBuilder text = new StringBuilder();
    List<String> members = new ArrayList<>();
    for (String member : List.of("anna", "bert", "Çiğdem", "node-4/slot-1")) {
      members.add(member);
      split(members, text);
    }
    members.remove("bert");
    split(members, text);
    text.append("mark of all: %016x%n".formatted(Allotment.mark(RESOURCES)));
    text.append("mark of the first: %016x%n".formatted(Allotment.mark(RESOURCES.subList(0, 1))));
    return text.toString();
  }

  private static void split(List<String> members, StringBuilder text) {
    text.append("### ").append(members).append('\n');
    Ring.of(members)
        .split(RESOURCES)
        .forEach(
            (member, share) -> text.append("%s (%d): %s%n".formatted(member, share.size(), share)));
    text.append('\n');
  }
}
